/* tunepass.so: a plugin of gcc that applies the choices of tunepass.choices, which `tunepass flags-file --format
   choices` writes beside tunepass.lock.

   Built by `tunepass gcc-plugin` against the headers of one installed gcc, which it then fits exactly. In this order:
     plugin_init    reads the choices of the main input, and compares the digests that they state with the files
     file_change    defines the macros, after the command line's -D and before the first line of any file
     start_unit     the optimisation options of each function, as #pragma GCC optimize and target set them
     pragmas        checks each #pragma tunepass, and notes the hints for loops
     pass           gives the hints to the loops, once they are known

   Names of the C front ends are weak: lto1 has none of them, and there the plugin does nothing.  */

#include "gcc-plugin.h"
#include "plugin-version.h"
#include "tree.h"
#include "c-family/c-common.h" /* before diagnostics, as it says itself */
#include "basic-block.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "cfgloop.h"
#include "tree-pass.h"
#include "context.h"
#include "stringpool.h"
#include "diagnostic.h"
#include "options.h"
#include "opts.h"
#include "target.h"
#include "cpplib.h"
#include "c-family/c-pragma.h"

#include <sys/stat.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

extern struct cpp_reader *parse_in __attribute__ ((weak));
extern void cpp_define (cpp_reader *, const char *) __attribute__ ((weak));
extern void cpp_undef (cpp_reader *, const char *) __attribute__ ((weak));
extern cpp_callbacks *cpp_get_callbacks (cpp_reader *) __attribute__ ((weak));
extern cpp_options *cpp_get_options (cpp_reader *) __attribute__ ((weak));
extern class mkdeps *cpp_get_deps (cpp_reader *) __attribute__ ((weak));
extern void deps_add_dep (class mkdeps *, const char *) __attribute__ ((weak));
extern void cpp_register_pragma (cpp_reader *, const char *, const char *, void (*) (cpp_reader *), bool)
  __attribute__ ((weak));
extern const cpp_token *cpp_get_token_with_location (cpp_reader *, location_t *) __attribute__ ((weak));
extern bool parse_optimize_options (tree, bool) __attribute__ ((weak));
extern void c_cpp_builtins_optimize_pragma (cpp_reader *, tree, tree) __attribute__ ((weak));
extern cpp_hashnode *cpp_lookup (cpp_reader *, const unsigned char *, unsigned int) __attribute__ ((weak));
extern const unsigned char *cpp_macro_definition (cpp_reader *, cpp_hashnode *) __attribute__ ((weak));

int plugin_is_GPL_compatible; /* gcc loads no plugin without it */

namespace {

const char *const choices_name = "tunepass.choices";
const char *const lock_name = "tunepass.lock";
const char *const first_line = "tunepass-choices 1";
const char *const write_it = "write it anew with tunepass flags-file --format choices";
const unsigned most_unrolled = 65534; /* of cunroll and rtl: an unsigned short, whose last value is "as often as possible" */

/* SHA-256, as FIPS 180-4 has it.  */

struct sha256
{
  uint32_t state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

  static uint32_t rotated (uint32_t x, int n) { return x >> n | x << (32 - n); }
  static const uint32_t *constants ();
  void block (const unsigned char *p);
};

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section 4.2.2).  */
const uint32_t *
sha256::constants ()
{
  static uint32_t k[64];
  if (k[0])
    return k;
  unsigned n = 0;
  for (unsigned prime = 2; n < 64; prime++)
    {
      bool divided = false;
      for (unsigned d = 2; d * d <= prime; d++)
        divided |= prime % d == 0;
      if (divided)
        continue;
      /* floor (cbrt (prime) * 2^32), bit by bit: x^3 <= prime * 2^96 */
      uint64_t x = 0;
      for (int bit = 34; bit >= 0; bit--)
        {
          uint64_t next = x | (uint64_t) 1 << bit;
          unsigned __int128 square = (unsigned __int128) next * next;
          /* next^3 <= prime << 96  <=>  square <= (prime << 96) / next */
          if (square <= ((unsigned __int128) prime << 96) / next)
            x = next;
        }
      k[n++] = (uint32_t) x;
    }
  return k;
}

void
sha256::block (const unsigned char *p)
{
  const uint32_t *k = constants ();
  uint32_t w[64];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t) p[4 * i] << 24 | p[4 * i + 1] << 16 | p[4 * i + 2] << 8 | p[4 * i + 3];
  for (int i = 16; i < 64; i++)
    {
      uint32_t s0 = rotated (w[i - 15], 7) ^ rotated (w[i - 15], 18) ^ w[i - 15] >> 3;
      uint32_t s1 = rotated (w[i - 2], 17) ^ rotated (w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
  uint32_t v[8];
  memcpy (v, state, sizeof v);
  for (int i = 0; i < 64; i++)
    {
      uint32_t s1 = rotated (v[4], 6) ^ rotated (v[4], 11) ^ rotated (v[4], 25);
      uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
      uint32_t s0 = rotated (v[0], 2) ^ rotated (v[0], 13) ^ rotated (v[0], 22);
      uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      memmove (v + 1, v, 7 * sizeof *v);
      v[4] += t1;
      v[0] = t1 + t2;
    }
  for (int i = 0; i < 8; i++)
    state[i] += v[i];
}

std::string
digest_of (const std::string &text)
{
  sha256 hash;
  std::string padded = text.substr (text.size () / 64 * 64) + '\x80';
  padded.append ((120 - padded.size () % 64) % 64, '\0');
  for (int shift = 56; shift >= 0; shift -= 8)
    padded += (char) ((uint64_t) text.size () * 8 >> shift);
  for (size_t at = 0; at + 64 <= text.size (); at += 64)
    hash.block ((const unsigned char *) text.data () + at);
  for (size_t at = 0; at < padded.size (); at += 64)
    hash.block ((const unsigned char *) padded.data () + at);
  char hex[65];
  for (int i = 0; i < 8; i++)
    snprintf (hex + 8 * i, 9, "%08x", hash.state[i]);
  return std::string ("sha256:") + hex;
}

const off_t most_bytes = 64 << 20; /* of a file that is read here */

/* Reads a regular file; else the reason why not, in words for users.  */
std::string
read_file (const std::string &path, std::string &text)
{
  struct stat status;
  if (stat (path.c_str (), &status) != 0)
    return xstrerror (errno);
  if (!S_ISREG (status.st_mode))
    return "it is no regular file";
  if (status.st_size > most_bytes)
    return "it has more than 64 MiB";
  FILE *file = fopen (path.c_str (), "rb");
  if (!file)
    return xstrerror (errno);
  text.resize (status.st_size);
  size_t n = fread (&text[0], 1, text.size (), file);
  bool whole = n == text.size () && fgetc (file) == EOF && !ferror (file);
  fclose (file);
  return whole ? "" : "it changed while it was read";
}

bool
exists (const std::string &path)
{
  struct stat status;
  return stat (path.c_str (), &status) == 0 || errno != ENOENT;
}

/* What the choices file says of one source.  */
struct entry
{
  std::string digest;
  std::vector<std::string> macros;  /* as -D has them: "NAME=VALUE", "NAME(ARGUMENTS)=VALUE"; of an undefined one "-NAME" */
  std::vector<std::string> options; /* of the compiler, each with its dash */
  std::vector<std::string> lacking; /* what a plugin cannot do, in words for users */
  std::vector<std::string> stale;   /* why the choice may not fit, likewise */
};

struct choices
{
  std::string path, folder, lock;
  std::map<std::string, entry> entries; /* by file name */
};

choices chosen;
entry *current;       /* of the main input, if it has one */
bool stale_is_error;
location_t no_place = UNKNOWN_LOCATION;

/* One hint for the loop after a pragma.  */
struct hint
{
  location_t place;
  int unroll = -1;    /* copies; -1: nothing said */
  int vectorize = -1; /* 1 and 0; -1: nothing said */
  bool used = false;
};
std::vector<hint> hints;

std::string
folder_of (const std::string &path)
{
  size_t slash = path.rfind ('/');
  return slash == std::string::npos ? "" : path.substr (0, slash + 1);
}

std::string
unescaped (const std::string &text)
{
  std::string plain;
  for (size_t i = 0; i < text.size (); i++)
    if (text[i] == '%' && i + 2 < text.size ())
      plain += (char) strtol (text.substr (i + 1, 2).c_str (), nullptr, 16), i += 2;
    else
      plain += text[i];
  return plain;
}

bool
is_digest (const std::string &text)
{
  return text.size () == 71 && text.compare (0, 7, "sha256:") == 0
         && text.find_first_not_of ("0123456789abcdef", 7) == std::string::npos;
}

/* NAME, or NAME(ARGUMENTS) before an equals sign; no name that the preprocessor keeps for itself.  */
bool
is_macro (const std::string &text, bool defined)
{
  size_t n = 0;
  while (n < text.size () && (ISIDNUM (text[n]) || text[n] == '$'))
    n++;
  if (n == 0 || ISDIGIT (text[0]) || text.compare (0, n, "defined") == 0 || text.compare (0, 5, "__VA_") == 0
      || text.compare (0, n, "__has_include") == 0)
    return false;
  size_t end = n;
  if (defined && n < text.size () && text[n] == '(')
    end = text.find (')', n) + 1;
  return defined ? end != 0 && end < text.size () && text[end] == '=' : n == text.size ();
}

/* Takes one line into the choices; the reason why it is none, else empty. `into` is the entry of the last source.  */
std::string
parse_line (const std::string &line, entry *&into)
{
  for (char c : line)
    if (ISCNTRL (c) && c != '\t')
      return "it has a control character";
  size_t space = line.find (' ');
  if (space == std::string::npos)
    return "it has no value";
  std::string word = line.substr (0, space), value = line.substr (space + 1);
  if (word == "lock")
    {
      if (!is_digest (value) || !chosen.lock.empty ())
        return "the lock has one digest";
      chosen.lock = value;
      return "";
    }
  if (word == "source")
    {
      size_t first = value.find (' '), second = value.find (' ', first + 1);
      std::string name = unescaped (value.substr (0, first));
      if (first == std::string::npos || second == std::string::npos
          || !is_digest (value.substr (first + 1, second - first - 1)) || !is_digest (value.substr (second + 1)))
        return "a source has a name and two digests";
      if (name.empty () || name.find ('/') != std::string::npos)
        return "a source stands in the folder of the choices file";
      for (char c : name)
        if (ISCNTRL (c))
          return "the name of a source has a control character";
      if (chosen.entries.count (name))
        return "this source has lines already";
      into = &chosen.entries[name];
      into->digest = value.substr (first + 1, second - first - 1);
      return "";
    }
  if (word != "define" && word != "undef" && word != "option" && word != "lacking" && word != "stale")
    return "this plugin does not know it";
  if (!into)
    return "no source stands before it";
  if ((word == "define" && !is_macro (value, true)) || (word == "undef" && !is_macro (value, false)))
    return "this is no macro";
  if (word == "option" && (value.size () < 2 || value[0] != '-'))
    return "an option begins with a dash";
  if (word == "define")
    into->macros.push_back (value);
  else if (word == "undef")
    into->macros.push_back ("-" + value);
  else
    (word == "option" ? into->options : word == "lacking" ? into->lacking : into->stale).push_back (value);
  return "";
}

/* The reason why a text is no choices file, behind the number of its line where it has one; empty where it is one.  */
std::string
parse (const std::string &text)
{
  const std::string begin = std::string (first_line) + "\n";
  if (text.compare (0, strlen ("tunepass-choices "), "tunepass-choices ") != 0)
    return " it is no choices file of tunepass";
  if (text.compare (0, begin.size (), begin) != 0)
    return "1: another version of tunepass wrote it";
  size_t last = text.rfind ("\nend ") + 1;
  if (last == 0 || text.substr (last + 4) != digest_of (text.substr (0, last)) + "\n")
    return " it is damaged: its last line is not the digest of the lines before";
  entry *into = nullptr;
  unsigned number = 2;
  for (size_t at = begin.size (), end; at < last; at = end + 1, number++)
    {
      end = text.find ('\n', at);
      std::string problem = parse_line (text.substr (at, end - at), into);
      if (!problem.empty ())
        return std::to_string (number) + ": " + problem;
    }
  return chosen.lock.empty () ? "2: the digest of the lock is not there" : "";
}

/* With `stale=error` an error, else a warning; the compiler goes on.  */
void
tell_stale (const std::string &what, const char *help)
{
  if (stale_is_error)
    error_at (no_place, "%s", ("tunepass: " + what).c_str ());
  else
    warning_at (no_place, 0, "%s", ("tunepass: " + what).c_str ());
  inform (no_place, "%s", help);
}

/* The source that a preprocessed text begins with: `# 1 "NAME"` or `# 0 "NAME"`; the text's own name without it.  */
std::string
preprocessed_from (const std::string &path)
{
  std::string text, name;
  if (!read_file (path, text).empty () || text.compare (0, 2, "# ") != 0)
    return path;
  size_t quote = text.find ('"');
  for (size_t i = quote + 1; quote < text.find ('\n') && i < text.size () && text[i] != '"' && text[i] != '\n'; i++)
    name += text[i] == '\\' ? text[++i] : text[i];
  return name.empty () ? path : name;
}

/* Reads the choices for the main input, and tells what does not fit.  */
void
load (const char *given)
{
  std::string main = main_input_filename ? main_input_filename : "";
  if (cpp_get_options (parse_in)->preprocessed)
    main = preprocessed_from (main);
  chosen.path = given ? given : folder_of (main) + choices_name;
  chosen.folder = folder_of (chosen.path);
  std::string text, source, lock;
  if (!given && !exists (chosen.path))
    return; /* nothing is chosen in this folder */
  std::string problem = read_file (chosen.path, text);
  if (!problem.empty ())
    {
      tell_stale (chosen.path + ": cannot be read: " + problem + "; nothing is tuned", write_it);
      return;
    }
  problem = parse (text);
  if (!problem.empty ())
    {
      chosen.entries.clear ();
      tell_stale (chosen.path + ":" + problem + "; nothing is tuned", write_it);
      return;
    }
  auto found = chosen.entries.find (main.substr (folder_of (main).size ()));
  if (found == chosen.entries.end ())
    return;
  problem = read_file (chosen.folder + lock_name, lock);
  if (!problem.empty ())
    {
      tell_stale (chosen.folder + lock_name + ": cannot be compared with " + choices_name + ": " + problem
                    + "; nothing is tuned", write_it);
      return;
    }
  if (digest_of (lock) != chosen.lock)
    {
      tell_stale (chosen.path + ": " + lock_name + " changed since it was written; nothing is tuned", write_it);
      return;
    }
  problem = read_file (main, source);
  if (!problem.empty () || digest_of (source) != found->second.digest)
    {
      tell_stale (problem.empty () ? main + " changed since it was tuned; its defaults are used"
                                   : main + ": cannot be compared with " + choices_name + ": " + problem
                                       + "; its defaults are used",
                  "tunepass build tunes it again; tunepass flags-file --format choices takes over a choice that still fits");
      return;
    }
  current = &found->second;
  for (const std::string &what : current->stale)
    tell_stale (what, "tunepass build tunes it again");
  for (const std::string &what : current->lacking)
    warning_at (no_place, 0, "%s", ("tunepass: " + main + ": " + what).c_str ());
}

std::string
name_of (const std::string &macro)
{
  return macro.substr (0, macro.find_first_of ("=("));
}

void (*next_file_change) (cpp_reader *, const line_map_ordinary *);
bool macros_defined;

void
define_macros ()
{
  macros_defined = true;
  for (const std::string &macro : current->macros)
    {
      bool undefined = macro[0] == '-';
      std::string name = name_of (undefined ? macro.substr (1) : macro);
      cpp_undef (parse_in, name.c_str ());
      if (!undefined)
        cpp_define (parse_in, macro.c_str ());
    }
}

/* The first change of the file after the command line's macros; and each included file that has choices of its own.  */
void
file_change (cpp_reader *reader, const line_map_ordinary *map)
{
  next_file_change (reader, map);
  if (!map)
    return;
  if (current && !macros_defined && !map->sysp) /* what is defined in stdc-predef.h would be the system's */
    define_macros ();
  if (map->reason != LC_ENTER || MAIN_FILE_P (map))
    return;
  std::string path = ORDINARY_MAP_FILE_NAME (map);
  auto found = chosen.entries.find (path.substr (folder_of (path).size ()));
  if (found != chosen.entries.end () && folder_of (path) == chosen.folder && &found->second != current)
    warning_at (linemap_included_from (map), 0,
                "tunepass: %qs has a choice of its own, which is not applied where another file includes it", path.c_str ());
}

/* Options by function, as #pragma GCC optimize and #pragma GCC target at the top of the source set them.  */

/* What of an option the pragmas take: "optimize", "target" or nothing.  */
const char *
pragma_for (const std::string &option)
{
  if (option.compare (0, 2, "-O") == 0)
    return "optimize";
  std::string text = option.substr (1);
  size_t equals = text.find ('=');
  if (equals != std::string::npos)
    text.resize (equals + 1);
  bool negative = text.compare (1, 3, "no-") == 0;
  if (negative)
    text.erase (1, 3);
  size_t index = find_opt (text.c_str (), -1);
  if (index == OPT_SPECIAL_unknown)
    return nullptr;
  if (cl_options[index].flags & CL_OPTIMIZATION)
    return "optimize";
  return (cl_options[index].flags & CL_TARGET) && option.find ("=native") == std::string::npos ? "target" : nullptr;
}

tree target_words; /* of preprocessed text */

void
set_options ()
{
  tree optimizing = NULL_TREE, targeting = NULL_TREE;
  for (const std::string &option : current->options)
    {
      const char *pragma = pragma_for (option);
      if (!pragma)
        {
          warning_at (no_place, 0, "tunepass: the chosen option %qs cannot be set for functions; give it to the compiler",
                      option.c_str ());
          continue;
        }
      bool is_target = *pragma == 't';
      std::string text = option.substr (is_target ? 2 : 1);
      tree word = build_string (text.size () + 1, text.c_str ());
      tree &list = is_target ? targeting : optimizing;
      list = tree_cons (NULL_TREE, word, list);
    }
  if (optimizing)
    {
      tree before = build_optimization_node (&global_options, &global_options_set);
      optimizing = nreverse (optimizing);
      parse_optimize_options (optimizing, false);
      current_optimize_pragma = chainon (current_optimize_pragma, optimizing);
      optimization_current_node = build_optimization_node (&global_options, &global_options_set);
      if (!cpp_get_options (parse_in)->preprocessed)
        c_cpp_builtins_optimize_pragma (parse_in, before, optimization_current_node);
    }
  if (targeting && !cpp_get_options (parse_in)->preprocessed)
    targetm.target_option.pragma_parse (nreverse (targeting), NULL_TREE);
  else
    target_words = nreverse (targeting);
}

/* Preprocessed text takes no definitions of macros, which the pragma makes: there functions have attributes.  */
void
start_function (void *data, void *)
{
  tree function = (tree) data;
  if (!target_words || TREE_CODE (function) != FUNCTION_DECL || DECL_FUNCTION_SPECIFIC_TARGET (function))
    return;
  tree optimizing = DECL_FUNCTION_SPECIFIC_OPTIMIZATION (function);
  bool valid = targetm.target_option.valid_attribute_p (function, get_identifier ("target"), copy_list (target_words), 0);
  DECL_FUNCTION_SPECIFIC_OPTIMIZATION (function) = optimizing; /* it depends on the target; the hook made another */
  if (valid)
    set_cfun (cfun, true);
}

void
start_unit (void *, void *)
{
  if (current && parse_in)
    set_options ();
}

/* Pragmas.  */

const char *const words[] = { "param", "constraint", "model", "kernel", "run", "loop", "hint", "hls" };
const char *const kinds[]
  = { "ordinal", "integer", "real", "categorical", "permutation", "pow2", "compiler" };

template <size_t N>
const char *
closest (const char *word, const char *const (&known)[N])
{
  const char *best = nullptr;
  size_t least = strlen (word) / 2 + 1;
  for (const char *candidate : known)
    {
      size_t n = strlen (word), m = strlen (candidate);
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
              row[j] = MIN (MIN (row[j], row[j - 1]) + 1, diagonal + (word[i - 1] != candidate[j - 1]));
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
is_one_of (const char *word, const char *const (&known)[N])
{
  for (const char *candidate : known)
    if (!strcmp (word, candidate))
      return true;
  return false;
}

template <size_t N>
void
tell_unknown (location_t place, const char *what, const char *word, const char *const (&known)[N])
{
  const char *close = closest (word, known);
  if (close)
    warning_at (place, OPT_Wpragmas, "tunepass: unknown %s %qs; did you mean %qs?", what, word, close);
  else
    warning_at (place, OPT_Wpragmas, "tunepass: unknown %s %qs", what, word);
}

/* A token of a pragma. They are the preprocessor's own: the parser's would refuse the `1..8` of a parameter.  */
struct token
{
  cpp_ttype type;
  location_t place;
  std::string text; /* of a name or a number */
};

token
next_token ()
{
  token read;
  const cpp_token *raw;
  do
    raw = cpp_get_token_with_location (parse_in, &read.place);
  while (raw->type == CPP_PADDING || raw->type == CPP_COMMENT);
  read.type = raw->type;
  if (raw->type == CPP_NAME)
    read.text = (const char *) NODE_NAME (raw->val.node.node);
  else if (raw->type == CPP_NUMBER)
    read.text.assign ((const char *) raw->val.str.text, raw->val.str.len);
  return read;
}

/* The text of a macro without arguments: as it is defined, in preprocessed text as it was chosen.  */
bool
text_of_macro (const std::string &name, std::string &text)
{
  cpp_hashnode *node = cpp_lookup (parse_in, (const unsigned char *) name.data (), name.size ());
  if (cpp_macro_p (node) && !cpp_fun_like_macro_p (node))
    {
      text = (const char *) cpp_macro_definition (parse_in, node) + name.size ();
      return true;
    }
  if (current && cpp_get_options (parse_in)->preprocessed)
    for (const std::string &macro : current->macros)
      if (macro.compare (0, name.size () + 1, name + "=") == 0)
        {
          text = macro.substr (name.size () + 1);
          return true;
        }
  return false;
}

/* The number that a name stands for after macros; false where it is none.  */
bool
number_of_macro (std::string name, long &number)
{
  for (int depth = 0; depth < 8 && text_of_macro (name, name); depth++)
    {
      name.erase (0, name.find_first_not_of (' '));
      char *end;
      number = strtol (name.c_str (), &end, 0);
      if (end != name.c_str () && !*end)
        return true;
    }
  return false;
}

/* `(VALUE)`: a number, or a macro that is one.  */
bool
hint_value (const token &clause, long &value)
{
  if (next_token ().type != CPP_OPEN_PAREN)
    {
      warning_at (clause.place, OPT_Wpragmas, "tunepass: expected %<(%> after %qs, as in %<hint unroll(4)%>",
                  clause.text.c_str ());
      return false;
    }
  token number = next_token ();
  char *end = nullptr;
  if (number.type == CPP_NUMBER)
    value = strtol (number.text.c_str (), &end, 0);
  else if (number.type == CPP_NAME && number_of_macro (number.text, value))
    end = &number.text[number.text.size ()];
  if (number.type == CPP_NAME && !end && !current)
    return false; /* nothing is chosen for this source */
  if (!end || *end)
    {
      warning_at (number.place, OPT_Wpragmas, "tunepass: expected a whole number, or a macro that is one");
      return false;
    }
  token closing = next_token ();
  if (closing.type != CPP_CLOSE_PAREN)
    {
      warning_at (closing.place, OPT_Wpragmas, "tunepass: expected %<)%> after the number");
      return false;
    }
  bool unrolls = clause.text == "unroll";
  if (value < 0 || value > (unrolls ? (long) most_unrolled : 1))
    {
      if (unrolls)
        warning_at (number.place, OPT_Wpragmas, "tunepass: a loop is unrolled 0 to %u times, got %ld", most_unrolled, value);
      else
        warning_at (number.place, OPT_Wpragmas, "tunepass: %<vectorize%> is 0 or 1, got %ld", value);
      return false;
    }
  return true;
}

/* Whether a loop begins in the lines after the pragma, behind blank ones, comments and further pragmas.  */
bool
loop_follows (location_t place)
{
  expanded_location at = expand_location (place);
  for (int line = at.line + 1; line < at.line + 50; line++)
    {
      char_span text = location_get_source_line (at.file, line);
      if (!text)
        return false;
      size_t i = 0, n = text.length ();
      while (i < n && ISSPACE (text[i]))
        i++;
      std::string rest (text.get_buffer () + i, n - i);
      if (rest.empty () || rest[0] == '#' || rest.compare (0, 2, "//") == 0 || rest.compare (0, 2, "/*") == 0 || rest[0] == '*')
        continue;
      for (const char *word : { "for", "while", "do" })
        if (rest.compare (0, strlen (word), word) == 0 && !ISIDNUM (rest[strlen (word)]))
          return true;
      return false;
    }
  return false;
}

void
read_hint (location_t place)
{
  static const char *const clauses[] = { "unroll", "vectorize" };
  hint read;
  read.place = place;
  bool any = false;
  for (token clause = next_token (); clause.type != CPP_EOF; clause = next_token (), any = true)
    {
      if (clause.type != CPP_NAME || !is_one_of (clause.text.c_str (), clauses))
        {
          if (clause.type == CPP_NAME)
            tell_unknown (clause.place, "hint", clause.text.c_str (), clauses);
          else
            warning_at (clause.place, OPT_Wpragmas, "tunepass: expected %<unroll(N)%> or %<vectorize(0)%>");
          return;
        }
      long value = 0;
      if (!hint_value (clause, value))
        return;
      (clause.text == "unroll" ? read.unroll : read.vectorize) = value;
    }
  if (!any)
    warning_at (place, OPT_Wpragmas, "tunepass: expected %<unroll(N)%> or %<vectorize(0)%> after %<hint%>");
  else if (!loop_follows (place))
    warning_at (place, OPT_Wpragmas, "tunepass: no loop follows this hint");
  else
    hints.push_back (read);
}

void
read_param (location_t place)
{
  static const char *const example = "param TILE: integer(1..8)";
  if (next_token ().type != CPP_NAME)
    {
      warning_at (place, OPT_Wpragmas, "tunepass: expected a name after %<param%>, as in %qs", example);
      return;
    }
  token colon = next_token ();
  if (colon.type != CPP_COLON)
    {
      warning_at (colon.place, OPT_Wpragmas, "tunepass: expected %<:%> after the name, as in %qs", example);
      return;
    }
  token kind = next_token ();
  if (kind.type != CPP_NAME)
    warning_at (kind.place, OPT_Wpragmas, "tunepass: expected a kind after %<:%>, as in %qs", example);
  else if (!is_one_of (kind.text.c_str (), kinds))
    tell_unknown (kind.place, "kind of parameter", kind.text.c_str (), kinds);
}

/* Reads one pragma; what is left of its line is skipped.  */
void
read_pragma (cpp_reader *)
{
  token word = next_token ();
  if (word.type != CPP_NAME)
    warning_at (word.place, OPT_Wpragmas, "tunepass: expected the name of a pragma, such as %<param%>");
  else if (!is_one_of (word.text.c_str (), words))
    tell_unknown (word.place, "pragma", word.text.c_str (), words);
  else if (word.text == "hint")
    read_hint (word.place);
  else if (word.text == "param")
    read_param (word.place);
}

void
pragmas (void *, void *)
{
  if (!parse_in)
    return;
  if (!flag_preprocess_only)
    cpp_register_pragma (parse_in, nullptr, "tunepass", read_pragma, false);
  if (cpp_get_options (parse_in)->preprocessed)
    return;
  cpp_callbacks *callbacks = cpp_get_callbacks (parse_in);
  next_file_change = callbacks->file_change;
  callbacks->file_change = file_change;
}

/* The pass.  */

/* The first place of a loop's code in the source file; UNKNOWN_LOCATION where none is known.  */
location_t
begin_of (const class loop *loop)
{
  location_t first = UNKNOWN_LOCATION;
  basic_block *blocks = get_loop_body (loop);
  for (unsigned i = 0; i < loop->num_nodes; i++)
    for (gimple_stmt_iterator at = gsi_start_bb (blocks[i]); !gsi_end_p (at); gsi_next (&at))
      {
        location_t place = gimple_location (gsi_stmt (at));
        if (place == UNKNOWN_LOCATION || expand_location (place).line == 0)
          continue;
        if (first == UNKNOWN_LOCATION || linemap_compare_locations (line_table, place, first) > 0)
          first = place;
      }
  free (blocks);
  return first;
}

void
apply (hint &given)
{
  class loop *best = nullptr;
  location_t begin = UNKNOWN_LOCATION;
  for (class loop *loop : loops_list (cfun, 0))
    {
      location_t place = begin_of (loop);
      if (place == UNKNOWN_LOCATION || linemap_compare_locations (line_table, given.place, place) <= 0)
        continue;
      int order = best ? linemap_compare_locations (line_table, place, begin) : 1;
      if (order > 0 || (order == 0 && loop_depth (loop) < loop_depth (best)))
        best = loop, begin = place;
    }
  if (!best)
    return;
  given.used = true;
  if (given.unroll >= 0)
    {
      best->unroll = MAX (given.unroll, 1);
      cfun->has_unroll = true;
    }
  if (given.vectorize == 0)
    best->dont_vectorize = true;
  if (given.vectorize == 1)
    {
      best->force_vectorize = true; /* safelen stays 0: dependences are still analysed */
      cfun->has_force_vectorize_loops = true;
    }
}

const pass_data hints_data = { GIMPLE_PASS, "tunepass_hints", OPTGROUP_LOOP, TV_NONE, PROP_cfg, 0, 0, 0, 0 };

struct hints_pass : gimple_opt_pass
{
  hints_pass () : gimple_opt_pass (hints_data, g) {}
  bool gate (function *) final override { return !hints.empty (); }
  unsigned int execute (function *) final override;
};

unsigned int
hints_pass::execute (function *fun)
{
  location_t end = fun->function_end_locus, start = fun->function_start_locus;
  for (hint &given : hints)
    if (!given.used && linemap_compare_locations (line_table, start, given.place) >= 0
        && linemap_compare_locations (line_table, given.place, end) >= 0)
      apply (given);
  return 0;
}

void
finish_unit (void *, void *)
{
  for (const hint &given : hints)
    if (!given.used && !seen_error ())
      warning_at (given.place, OPT_Wpragmas, "tunepass: this hint has no effect: the compiler keeps no such loop");
}

/* After the events of plugin_init nothing is known of -E yet; here all options are.  */
void
add_dependency ()
{
  if (parse_in && deps_add_dep && cpp_get_deps (parse_in))
    deps_add_dep (cpp_get_deps (parse_in), chosen.path.c_str ());
}

} // namespace

int
plugin_init (struct plugin_name_args *info, struct plugin_gcc_version *version)
{
  if (!plugin_default_version_check (version, &gcc_version))
    {
      error_at (no_place, "tunepass: this plugin is for gcc %s (%s), and this is gcc %s (%s)", gcc_version.basever,
                gcc_version.datestamp, version->basever, version->datestamp);
      inform (no_place, "%<tunepass gcc-plugin --compiler COMPILER%> builds it for this one");
      return 1;
    }
  if (!&parse_in || !parse_in)
    return 0; /* lto1: the objects have their choices */
  const char *given = nullptr;
  for (int i = 0; i < info->argc; i++)
    {
      std::string key = info->argv[i].key, value = info->argv[i].value ? info->argv[i].value : "";
      if (key == "choices" && !value.empty ())
        given = info->argv[i].value;
      else if (key == "stale" && (value == "error" || value == "warning"))
        stale_is_error = value == "error";
      else
        {
          error_at (no_place, "tunepass: unknown argument %<-fplugin-arg-%s-%s%s%s%>", info->base_name, key.c_str (),
                    value.empty () ? "" : "=", value.c_str ());
          inform (no_place, "known are choices=FILE, stale=warning and stale=error");
          return 1;
        }
    }
  register_callback (info->base_name, PLUGIN_PRAGMAS, pragmas, nullptr);
  load (given);
  if (current)
    add_dependency ();
  register_callback (info->base_name, PLUGIN_START_UNIT, start_unit, nullptr);
  register_callback (info->base_name, PLUGIN_START_PARSE_FUNCTION, start_function, nullptr);
  register_callback (info->base_name, PLUGIN_FINISH_UNIT, finish_unit, nullptr);
  register_pass_info pass = { new hints_pass, "cfg", 1, PASS_POS_INSERT_AFTER };
  register_callback (info->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &pass);
  return 0;
}
