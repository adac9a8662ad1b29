module fix_lt_w16(
  input wire [0:0] clk,
  input wire [15:0] a,
  input wire [15:0] b,
  output wire [0:0] q
);
reg [0:0] r;
always @(posedge clk) r <= $signed(a) < $signed(b);
assign q = r;
endmodule
