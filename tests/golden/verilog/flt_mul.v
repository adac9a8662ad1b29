module flt_mul_w16(
  input wire [0:0] clk,
  input wire [15:0] a,
  input wire [15:0] b,
  output wire [15:0] q
);

reg s1; reg [4:0] e1; reg [21:0] p1;
always @(posedge clk) begin
  s1 <= a[15] ^ b[15];
  e1 <= a[14:10] + b[14:10] - 5'd15;
  p1 <= {|a[14:10], a[9:0]} * {|b[14:10], b[9:0]};
end
reg [15:0] r;
always @(posedge clk)
  r <= {s1, e1 + p1[21], p1[21] ? p1[20:11] : p1[19:10]};
assign q = r;
endmodule
