module buffered_w16_d96_n5(
  input wire [0:0] clk,
  input wire [0:0] turn,
  input wire [0:0] rst,
  input wire [0:0] we,
  input wire [6:0] wa,
  input wire [6:0] ra,
  input wire [15:0] a,
  output wire [15:0] q
);
reg [2:0] at, from_;
always @(posedge clk)
  if (rst) begin at <= 0; from_ <= 4; end
  else if (turn) begin at <= at == 4 ? 0 : at + 1'b1; from_ <= at; end
(* ram_style = "block", no_rw_check *) reg [15:0] m0 [0:95];
reg [15:0] m0_q;
always @(posedge clk) begin
  if (we & (at == 0)) m0[wa] <= a;
  m0_q <= m0[ra];
end
(* ram_style = "block", no_rw_check *) reg [15:0] m1 [0:95];
reg [15:0] m1_q;
always @(posedge clk) begin
  if (we & (at == 1)) m1[wa] <= a;
  m1_q <= m1[ra];
end
(* ram_style = "block", no_rw_check *) reg [15:0] m2 [0:95];
reg [15:0] m2_q;
always @(posedge clk) begin
  if (we & (at == 2)) m2[wa] <= a;
  m2_q <= m2[ra];
end
(* ram_style = "block", no_rw_check *) reg [15:0] m3 [0:95];
reg [15:0] m3_q;
always @(posedge clk) begin
  if (we & (at == 3)) m3[wa] <= a;
  m3_q <= m3[ra];
end
(* ram_style = "block", no_rw_check *) reg [15:0] m4 [0:95];
reg [15:0] m4_q;
always @(posedge clk) begin
  if (we & (at == 4)) m4[wa] <= a;
  m4_q <= m4[ra];
end
wire [15:0] t0_0 = from_[0] ? m1_q : m0_q;
wire [15:0] t0_1 = from_[0] ? m3_q : m2_q;
wire [15:0] t1_0 = from_[1] ? t0_1 : t0_0;
wire [15:0] t2_0 = from_[2] ? m4_q : t1_0;
assign q = t2_0;
endmodule
