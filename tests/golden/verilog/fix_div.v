module fix_div_w16(
  input wire [0:0] clk,
  input wire [15:0] a,
  input wire [15:0] b,
  output wire [15:0] q
);

reg [15:0] x [0:16], y [0:16];
reg [15:0] p [0:16];
always @* begin
  x[0] = a;
  p[0] = 0;
  y[0] = b;
end
genvar k;
generate for (k = 0; k < 16; k = k + 1) begin : step
  wire [16:0] t = {p[k], x[k][15]};
  wire [17:0] d = {1'b0, t} - {2'b0, y[k]};
  always @(posedge clk) begin
    x[k+1] <= {x[k][14:0], ~d[17]};
    p[k+1] <= d[17] ? t[15:0] : d[15:0];
    y[k+1] <= y[k];
  end
end endgenerate
assign q = x[16];
endmodule
