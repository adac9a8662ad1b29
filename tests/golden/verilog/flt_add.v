module flt_add_w16(
  input wire [0:0] clk,
  input wire [15:0] a,
  input wire [15:0] b,
  output wire [15:0] q
);

wire less = a[14:0] < b[14:0];
wire [15:0] big = less ? b : a, small = less ? a : b;
reg s1, t1; reg [4:0] e1, h1; reg [10:0] x1, y1;
always @(posedge clk) begin
  s1 <= big[15]; t1 <= big[15] ^ small[15];
  e1 <= big[14:10]; h1 <= big[14:10] - small[14:10];
  x1 <= {|big[14:10], big[9:0]}; y1 <= {|small[14:10], small[9:0]};
end
reg s2, t2; reg [4:0] e2; reg [10:0] x2, y2;
always @(posedge clk) begin
  s2 <= s1; t2 <= t1; e2 <= e1; x2 <= x1; y2 <= y1 >> h1;
end
reg s3; reg [4:0] e3; reg [11:0] z3;
always @(posedge clk) begin
  s3 <= s2; e3 <= e2; z3 <= t2 ? {1'b0, x2} - {1'b0, y2} : {1'b0, x2} + {1'b0, y2};
end
wire [15:0] l0 = {z3, {4{1'b1}}};
wire none0 = ~|l0[15:8];
wire [7:0] l1 = none0 ? l0[7:0] : l0[15:8];
wire none1 = ~|l1[7:4];
wire [3:0] l2 = none1 ? l1[3:0] : l1[7:4];
wire none2 = ~|l2[3:2];
wire [1:0] l3 = none2 ? l2[1:0] : l2[3:2];
wire none3 = ~|l3[1:1];
wire [0:0] l4 = none3 ? l3[0:0] : l3[1:1];
wire [3:0] zeros = {none0, none1, none2, none3};
wire [11:0] n = z3 << zeros;
reg [15:0] r;
always @(posedge clk) r <= {s3, e3 + 1'b1 - zeros, n[10:1]};
assign q = r;
endmodule
