module flt_lt_w16(
  input wire [0:0] clk,
  input wire [15:0] a,
  input wire [15:0] b,
  output wire [0:0] q
);
reg [0:0] r;
always @(posedge clk) r <= a[15] != b[15] ? a[15] : a[15] ? a[14:0] > b[14:0] : a[14:0] < b[14:0];
assign q = r;
endmodule
