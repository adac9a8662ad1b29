/* The lines `#pragma tunepass` as both plugins of compilers check them, in plain C++ without a compiler's headers.

   A plugin hands in a Reader of its compiler's tokens:
     Place                                 a place in a source, in the compiler's type
     token<Place> next ()                  the next token of the line, without macros expanded
     void warn (Place, std::string)        a warning about the line, at a place
     std::string quoted (std::string)      a name as the compiler quotes it
     bool text_of_macro (name, text)       the text of a macro without arguments, as it is defined
     bool has_choice ()                    whether the lock has a choice for the source
     bool line_after (Place, n, text)      the text of the n-th line after the one of a place  */

#ifndef TUNEPASS_PRAGMAS_H
#define TUNEPASS_PRAGMAS_H

#include "choices.h"

#include <algorithm>

namespace tunepass {

const char *const words[] = { "param", "constraint", "model", "kernel", "run", "loop", "hint", "hls" };
const char *const kinds[] = { "ordinal", "integer", "real", "categorical", "permutation", "pow2", "compiler" };
const char *const clauses[] = { "unroll", "vectorize" };
const char *const param_example = "param TILE: integer(1..8)";
const long most_unrolled = 65534; /* of gcc's cunroll and rtl: an unsigned short, whose last value is "as often as possible" */

enum class token_kind
{
  name,
  number,
  opening,
  closing,
  colon,
  end,
  other
};

/* A token of a pragma. They are the preprocessor's own: the parser's would refuse the `1..8` of a parameter.  */
template <typename Place> struct token
{
  token_kind kind;
  Place place;
  std::string text; /* of a name or a number */
};

/* What a hint asks for the loop after it.  */
struct hint_values
{
  long unroll = -1;    /* copies; -1: nothing said */
  long vectorize = -1; /* 1 and 0; -1: nothing said */
};

template <size_t N>
const char *
closest (const std::string &word, const char *const (&known)[N])
{
  const char *best = nullptr;
  size_t least = word.size () / 2 + 1;
  for (const char *candidate : known)
    {
      size_t n = word.size (), m = strlen (candidate);
      std::vector<size_t> row (m + 1);
      for (size_t j = 0; j <= m; j++)
        row[j] = j;
      for (size_t i = 1; i <= n; i++)
        {
          size_t diagonal = row[0];
          row[0] = i;
          for (size_t j = 1; j <= m; j++)
            {
              size_t above = row[j];
              row[j] = std::min (std::min (row[j], row[j - 1]) + 1, diagonal + (word[i - 1] != candidate[j - 1]));
              diagonal = above;
            }
        }
      if (row[m] < least)
        least = row[m], best = candidate;
    }
  return best;
}

template <size_t N>
bool
is_one_of (const std::string &word, const char *const (&known)[N])
{
  return std::find (known, known + N, word) != known + N;
}

/* A name that is to be one of a list's: else a warning with the closest.  */
template <typename Reader, size_t N>
bool
is_known (Reader &reader, const token<typename Reader::Place> &name, const char *what, const char *const (&known)[N])
{
  if (is_one_of (name.text, known))
    return true;
  const char *close = closest (name.text, known);
  reader.warn (name.place, std::string ("unknown ") + what + " " + reader.quoted (name.text)
                             + (close ? "; did you mean " + reader.quoted (close) + "?" : ""));
  return false;
}

/* The number that a name stands for after macros; false where it is none.  */
template <typename Reader>
bool
number_of_macro (Reader &reader, std::string name, long &number)
{
  for (int depth = 0; depth < 8 && reader.text_of_macro (name, name); depth++)
    {
      name.erase (0, name.find_first_not_of (' '));
      char *end;
      number = strtol (name.c_str (), &end, 0);
      if (end != name.c_str () && !*end)
        return true;
    }
  return false;
}

/* The text of a macro among those of a choice, as text that is preprocessed already needs it.  */
inline bool
text_of_chosen (const entry *chosen, const std::string &name, std::string &text)
{
  if (chosen)
    for (const std::string &macro : chosen->macros)
      if (macro.compare (0, name.size () + 1, name + "=") == 0)
        {
          text = macro.substr (name.size () + 1);
          return true;
        }
  return false;
}

/* `(VALUE)`: a number, or a macro that is one.  */
template <typename Reader>
bool
hint_value (Reader &reader, const token<typename Reader::Place> &clause, long &value)
{
  if (reader.next ().kind != token_kind::opening)
    {
      reader.warn (clause.place, "expected " + reader.quoted ("(") + " after " + reader.quoted (clause.text) + ", as in "
                                   + reader.quoted ("hint unroll(4)"));
      return false;
    }
  auto number = reader.next ();
  bool is_name = number.kind == token_kind::name, is_number = false;
  if (number.kind == token_kind::number)
    {
      char *end;
      value = strtol (number.text.c_str (), &end, 0);
      is_number = !*end;
    }
  else if (is_name)
    is_number = number_of_macro (reader, number.text, value);
  if (is_name && !is_number && !reader.has_choice ())
    return false; /* nothing is chosen for this source */
  if (!is_number)
    {
      reader.warn (number.place, "expected a whole number, or a macro that is one");
      return false;
    }
  auto closing = reader.next ();
  if (closing.kind != token_kind::closing)
    {
      reader.warn (closing.place, "expected " + reader.quoted (")") + " after the number");
      return false;
    }
  bool unrolls = clause.text == "unroll";
  if (value >= 0 && value <= (unrolls ? most_unrolled : 1))
    return true;
  std::string rule = unrolls ? "a loop is unrolled 0 to " + std::to_string (most_unrolled) + " times"
                             : reader.quoted ("vectorize") + " is 0 or 1";
  reader.warn (number.place, rule + ", got " + std::to_string (value));
  return false;
}

enum class following
{
  loop,
  directive, /* and then a loop */
  other
};

/* What follows in the lines after a pragma, behind blank ones, comments and further pragmas of tunepass.  */
template <typename Reader>
following
follows (Reader &reader, typename Reader::Place place)
{
  static const char *const loops[] = { "for", "while", "do" };
  following found = following::loop;
  std::string text;
  for (unsigned line = 1; line < 50 && reader.line_after (place, line, text); line++)
    {
      size_t begin = 0, end;
      while (begin < text.size () && is_blank (text[begin]))
        begin++;
      std::string rest = text.substr (begin);
      if (rest.empty () || rest.compare (0, 2, "//") == 0 || rest.compare (0, 2, "/*") == 0 || rest[0] == '*')
        continue;
      if (rest[0] == '#')
        {
          if (rest.compare (0, 16, "#pragma tunepass") != 0)
            found = following::directive;
          continue;
        }
      for (end = 0; end < rest.size () && is_word (rest[end]);)
        end++;
      return is_one_of (rest.substr (0, end), loops) ? found : following::other;
    }
  return following::other;
}

/* Whether a hint is right, and a loop follows it; it has values then.  */
template <typename Reader>
bool
read_hint (Reader &reader, typename Reader::Place place, hint_values &values)
{
  const std::string expected = "expected " + reader.quoted ("unroll(N)") + " or " + reader.quoted ("vectorize(0)");
  bool any = false;
  for (auto clause = reader.next (); clause.kind != token_kind::end; clause = reader.next (), any = true)
    {
      if (clause.kind != token_kind::name)
        {
          reader.warn (clause.place, expected);
          return false;
        }
      long value = 0;
      if (!is_known (reader, clause, "hint", clauses) || !hint_value (reader, clause, value))
        return false;
      (clause.text == "unroll" ? values.unroll : values.vectorize) = value;
    }
  if (!any)
    reader.warn (place, expected + " after " + reader.quoted ("hint"));
  else if (follows (reader, place) == following::other)
    reader.warn (place, "no loop follows this hint");
  else
    return true;
  return false;
}

template <typename Reader>
void
read_param (Reader &reader, typename Reader::Place place)
{
  const std::string as_in = ", as in " + reader.quoted (param_example);
  if (reader.next ().kind != token_kind::name)
    return reader.warn (place, "expected a name after " + reader.quoted ("param") + as_in);
  auto colon = reader.next ();
  if (colon.kind != token_kind::colon)
    return reader.warn (colon.place, "expected " + reader.quoted (":") + " after the name" + as_in);
  auto kind = reader.next ();
  if (kind.kind != token_kind::name)
    reader.warn (kind.place, "expected a kind after " + reader.quoted (":") + as_in);
  else
    is_known (reader, kind, "kind of parameter", kinds);
}

/* Checks one line, up to its end or its first mistake. Whether it is a hint for the loop that follows; `place` is the
   one of its word then.  */
template <typename Reader>
bool
read_pragma (Reader &reader, typename Reader::Place &place, hint_values &values)
{
  auto word = reader.next ();
  place = word.place;
  if (word.kind != token_kind::name)
    reader.warn (word.place, "expected the name of a pragma, such as " + reader.quoted ("param"));
  else if (is_known (reader, word, "pragma", words))
    {
      if (word.text == "hint")
        return read_hint (reader, word.place, values);
      if (word.text == "param")
        read_param (reader, word.place);
    }
  return false;
}

} // namespace tunepass

#endif
