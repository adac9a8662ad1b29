#include "ap_int.h"
#include "hls_stream.h"
#define DEPTH 64
typedef ap_uint<12> small_t;
typedef ap_fixed<16, 4, AP_RND> fixed_t;
struct packet { small_t data; bool last; };
static void produce(hls::stream<packet> &out, const int x[DEPTH])
{
#pragma HLS INLINE off
    LOAD: for (int i = 0; i < DEPTH; i++) {
#pragma HLS PIPELINE II=1 rewind
        packet p;
        p.data = (small_t)x[i] & 0xFF;
        out.write(p);
    }
}
template <int N> void consume(hls::stream<packet> &in, int y[N])
{
    for (int i = 0; i < N; i++) { packet p = in.read(); y[i] = p.data(7, 4) + p.data.range(3, 0).to_int(); }
}
void top(const int x[DEPTH], int y[DEPTH])
{
#pragma HLS INTERFACE m_axi port=x bundle=gmem0
#pragma HLS DATAFLOW
    hls::stream<packet> channel("channel");
#pragma HLS STREAM variable=channel depth=4
    static int state[4] = {0};
#pragma HLS ARRAY_PARTITION variable=state complete dim=0
    produce(channel, x);
    consume<DEPTH>(channel, y);
    fixed_t f = 0.5;
    if (channel.empty() && f > fixed_t(1)) state[0] = hls::sqrt(f);
}
