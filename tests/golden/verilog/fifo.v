module fifo_w16_d96(
  input wire [0:0] clk,
  input wire [0:0] rst,
  input wire [0:0] enq,
  input wire [0:0] deq,
  input wire [15:0] a,
  output wire [15:0] q,
  output wire [0:0] empty,
  output wire [0:0] full
);
reg [6:0] head, tail; reg [7:0] count;
wire in = enq & ~full, out = deq & ~empty;
always @(posedge clk)
  if (rst) begin head <= 0; tail <= 0; count <= 0; end
  else begin
    if (in) tail <= tail == 95 ? 0 : tail + 1'b1;
    if (out) head <= head == 95 ? 0 : head + 1'b1;
    count <= count + in - out;
  end
assign empty = count == 0;
assign full = count == 96;
(* ram_style = "block", no_rw_check *) reg [15:0] m [0:95];
reg [15:0] m_q;
always @(posedge clk) begin
  if (in) m[tail] <= a;
  m_q <= m[head];
end
assign q = m_q;
endmodule
