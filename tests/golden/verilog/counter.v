module counter_w16_n5(
  input wire [0:0] clk,
  input wire [0:0] rst,
  input wire [0:0] en,
  input wire [15:0] step,
  input wire [15:0] stop,
  output wire [79:0] q,
  output wire [0:0] done
);
reg [15:0] c0;
always @(posedge clk) if (rst | (en & done)) c0 <= 0; else if (en) c0 <= c0 + step;
assign q[0 +: 16] = c0;
reg [15:0] c1;
always @(posedge clk) if (rst | (en & done)) c1 <= 1; else if (en) c1 <= c1 + step;
assign q[16 +: 16] = c1;
reg [15:0] c2;
always @(posedge clk) if (rst | (en & done)) c2 <= 2; else if (en) c2 <= c2 + step;
assign q[32 +: 16] = c2;
reg [15:0] c3;
always @(posedge clk) if (rst | (en & done)) c3 <= 3; else if (en) c3 <= c3 + step;
assign q[48 +: 16] = c3;
reg [15:0] c4;
always @(posedge clk) if (rst | (en & done)) c4 <= 4; else if (en) c4 <= c4 + step;
assign q[64 +: 16] = c4;
wire [16:0] next = c0 + step;
assign done = next >= {1'b0, stop};
endmodule
