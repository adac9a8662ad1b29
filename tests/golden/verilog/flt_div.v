module flt_div_w16(
  input wire [0:0] clk,
  input wire [15:0] a,
  input wire [15:0] b,
  output wire [15:0] q
);

reg [11:0] p [0:11];
reg [10:0] y [0:11], x [0:11];
reg [5:0] v [0:11];
always @* begin
  p[0] = {2'b01, a[9:0]};
  y[0] = {1'b1, b[9:0]};
  x[0] = 0;
  v[0] = {a[15] ^ b[15], a[14:10] - b[14:10]};
end
genvar k;
generate for (k = 0; k < 11; k = k + 1) begin : step
  wire [12:0] d = {1'b0, p[k]} - {2'b0, y[k]};
  always @(posedge clk) begin
    x[k+1] <= {x[k][9:0], ~d[12]};
    p[k+1] <= d[12] ? p[k] << 1 : d[11:0] << 1;
    y[k+1] <= y[k];
    v[k+1] <= v[k];
  end
end endgenerate
wire top = x[11][10];
reg [15:0] r;
always @(posedge clk)
  r <= {v[11][5], v[11][4:0] - ~top, top ? x[11][9:0] : {x[11][8:0], 1'b0}};
assign q = r;
endmodule
