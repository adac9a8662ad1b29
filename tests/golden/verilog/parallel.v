module parallel_n5(
  input wire [0:0] clk,
  input wire [0:0] rst,
  input wire [0:0] start,
  input wire [31:0] turns,
  input wire [4:0] done,
  output wire [4:0] en,
  output wire [0:0] finished
);
reg [4:0] busy;
always @(posedge clk) if (rst) busy <= 0; else if (start & ~|busy) busy <= {5{1'b1}}; else busy <= busy & ~done;
assign en = busy;
assign finished = ~|busy;
endmodule
