module select_w16_n5(
  input wire [0:0] clk,
  input wire [79:0] a,
  input wire [2:0] s,
  output wire [15:0] q
);
wire [15:0] t0_0 = s[0] ? a[16 +: 16] : a[0 +: 16];
wire [15:0] t0_1 = s[0] ? a[48 +: 16] : a[32 +: 16];
wire [15:0] t1_0 = s[1] ? t0_1 : t0_0;
wire [15:0] t2_0 = s[2] ? a[64 +: 16] : t1_0;
reg [15:0] r;
always @(posedge clk) r <= t2_0;
assign q = r;
endmodule
