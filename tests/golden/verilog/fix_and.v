module fix_and_w16(
  input wire [0:0] clk,
  input wire [15:0] a,
  input wire [15:0] b,
  output wire [15:0] q
);
reg [15:0] r;
always @(posedge clk) r <= a & b;
assign q = r;
endmodule
