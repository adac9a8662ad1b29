module sram_w16_d96(
  input wire [0:0] clk,
  input wire [0:0] we,
  input wire [6:0] wa,
  input wire [6:0] ra,
  input wire [15:0] a,
  output wire [15:0] q
);
(* ram_style = "block", no_rw_check *) reg [15:0] m [0:95];
reg [15:0] m_q;
always @(posedge clk) begin
  if (we) m[wa] <= a;
  m_q <= m[ra];
end
assign q = m_q;
endmodule
