module flt_to_fix_w16(
  input wire [0:0] clk,
  input wire [15:0] a,
  output wire [15:0] q
);

wire [4:0] h = 5'd30 - a[14:10];
reg s1; reg [15:0] x1;
always @(posedge clk) begin s1 <= a[15]; x1 <= {1'b1, a[9:0], {5{1'b0}}} >> h; end
reg [15:0] r;
always @(posedge clk) r <= s1 ? -x1 : x1;
assign q = r;
endmodule
