module sequential_n5(
  input wire [0:0] clk,
  input wire [0:0] rst,
  input wire [0:0] start,
  input wire [31:0] turns,
  input wire [4:0] done,
  output wire [4:0] en,
  output wire [0:0] finished
);
reg [5:0] state; reg [31:0] count;
wire step = |(state[4:0] & done);
wire last = count + 1'b1 >= turns;
always @(posedge clk)
  if (rst | (start & state[5])) begin state <= rst ? 6'd32 : 1; count <= 0; end
  else if (step) begin
    state <= state[4] ? (last ? 6'd32 : 1) : state << 1;
    if (state[4]) count <= count + 1'b1;
  end
assign en = state[4:0];
assign finished = state[5];
endmodule
