module pipelined_n5(
  input wire [0:0] clk,
  input wire [0:0] rst,
  input wire [0:0] start,
  input wire [31:0] turns,
  input wire [4:0] done,
  output wire [4:0] en,
  output wire [0:0] finished
);
reg [4:0] full, ready; reg [31:0] count; reg running;
wire step = running & &(~full | ready | done);
wire more = count + 1'b1 < turns;
wire [4:0] next = {full[3:0], more};
always @(posedge clk)
  if (rst) begin full <= 0; ready <= 0; running <= 0; count <= 0; end
  else if (start & ~running) begin full <= 1; ready <= 0; running <= 1; count <= 0; end
  else if (step) begin
    full <= next; ready <= 0; running <= |next;
    count <= count + 1'b1;
  end else ready <= ready | (done & full);
assign en = full & ~ready;
assign finished = ~running;
endmodule
