module fix_to_flt_w16(
  input wire [0:0] clk,
  input wire [15:0] a,
  output wire [15:0] q
);

reg s1; reg [15:0] x1;
always @(posedge clk) begin s1 <= a[15]; x1 <= a[15] ? -a : a; end
wire [15:0] l0 = x1;
wire none0 = ~|l0[15:8];
wire [7:0] l1 = none0 ? l0[7:0] : l0[15:8];
wire none1 = ~|l1[7:4];
wire [3:0] l2 = none1 ? l1[3:0] : l1[7:4];
wire none2 = ~|l2[3:2];
wire [1:0] l3 = none2 ? l2[1:0] : l2[3:2];
wire none3 = ~|l3[1:1];
wire [0:0] l4 = none3 ? l3[0:0] : l3[1:1];
wire [3:0] zeros = {none0, none1, none2, none3};
wire [15:0] n = x1 << zeros;
reg [15:0] r;
always @(posedge clk) r <= {s1, 5'd30 - zeros, n[14:5]};
assign q = r;
endmodule
