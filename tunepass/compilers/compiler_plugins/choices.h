/* What both plugins of compilers read: tunepass.choices beside tunepass.lock, in plain C++ without a compiler's headers.

   It stands before the headers of gcc, which forbid some names of the C library.  */

#ifndef TUNEPASS_CHOICES_H
#define TUNEPASS_CHOICES_H

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace tunepass {

const char *const choices_name = "tunepass.choices";
const char *const lock_name = "tunepass.lock";
const char *const first_line = "tunepass-choices 1";
const char *const write_it = "write it anew with tunepass flags-file --format choices";

/* Characters in ASCII, whatever the locale.  */
inline bool is_control (char c) { return (unsigned char) c < 32 || c == 127; }
inline bool is_blank (char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline bool is_digit (char c) { return c >= '0' && c <= '9'; }
inline bool is_word (char c) { return is_digit (c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* SHA-256, as FIPS 180-4 has it.  */

struct sha256_constants
{
  uint32_t k[64];
};

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section 4.2.2), computed while the
   plugin is compiled.  */
constexpr sha256_constants
cube_roots ()
{
  sha256_constants made = {};
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
      made.k[n++] = (uint32_t) x;
    }
  return made;
}

constexpr sha256_constants constants = cube_roots ();

struct sha256
{
  uint32_t state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

  static uint32_t rotated (uint32_t x, int n) { return x >> n | x << (32 - n); }
  void block (const unsigned char *p);
};

inline void
sha256::block (const unsigned char *p)
{
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
  for (int first = 0; first < 64; first += 8)
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) /* unrolled, the variables a to h change their places in `v` at no cost */
      {
        uint32_t a = v[-i & 7], b = v[(1 - i) & 7], c = v[(2 - i) & 7], e = v[(4 - i) & 7];
        uint32_t &d = v[(3 - i) & 7], &h = v[(7 - i) & 7];
        uint32_t s1 = rotated (e, 6) ^ rotated (e, 11) ^ rotated (e, 25);
        uint32_t choice = (e & v[(5 - i) & 7]) ^ (~e & v[(6 - i) & 7]);
        uint32_t t1 = h + s1 + choice + constants.k[first + i] + w[first + i];
        uint32_t s0 = rotated (a, 2) ^ rotated (a, 13) ^ rotated (a, 22);
        d += t1;
        h = t1 + s0 + ((a & b) ^ (a & c) ^ (b & c));
      }
  for (int i = 0; i < 8; i++)
    state[i] += v[i];
}

inline std::string
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
inline std::string
read_file (const std::string &path, std::string &text)
{
  struct stat status;
  if (stat (path.c_str (), &status) != 0)
    return strerror (errno);
  if (!S_ISREG (status.st_mode))
    return "it is no regular file";
  if (status.st_size > most_bytes)
    return "it has more than 64 MiB";
  FILE *file = fopen (path.c_str (), "rb");
  if (!file)
    return strerror (errno);
  text.resize (status.st_size);
  size_t n = fread (&text[0], 1, text.size (), file);
  bool whole = n == text.size () && fgetc (file) == EOF && !ferror (file);
  fclose (file);
  return whole ? "" : "it changed while it was read";
}

inline bool
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

/* Something to tell, before anything is compiled.  */
struct message
{
  bool stale;             /* with `stale=error` an error; else a warning */
  std::string text, help; /* help: of what is stale */
};

inline std::string
folder_of (const std::string &path)
{
  size_t slash = path.rfind ('/');
  return slash == std::string::npos ? "" : path.substr (0, slash + 1);
}

inline std::string
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

inline bool
is_digest (const std::string &text)
{
  return text.size () == 71 && text.compare (0, 7, "sha256:") == 0
         && text.find_first_not_of ("0123456789abcdef", 7) == std::string::npos;
}

/* NAME, or NAME(ARGUMENTS) before an equals sign; no name that the preprocessor keeps for itself.  */
inline bool
is_macro (const std::string &text, bool defined)
{
  size_t n = 0;
  while (n < text.size () && (is_word (text[n]) || text[n] == '$'))
    n++;
  if (n == 0 || is_digit (text[0]) || text.compare (0, n, "defined") == 0 || text.compare (0, 5, "__VA_") == 0
      || text.compare (0, n, "__has_include") == 0)
    return false;
  size_t end = n;
  if (defined && n < text.size () && text[n] == '(')
    end = text.find (')', n) + 1;
  return defined ? end != 0 && end < text.size () && text[end] == '=' : n == text.size ();
}

/* The source that a preprocessed text begins with: `# 1 "NAME"` or `# 0 "NAME"`; the text's own name without it.  */
inline std::string
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

/* The choices of a folder, and the main input's among them.  */
struct choices
{
  std::string path, folder, lock_digest;
  std::map<std::string, entry> entries; /* by file name */
  const entry *current = nullptr;       /* of the main input, if it has one that fits */
  std::vector<message> messages;        /* what does not fit, in the order of telling */

  /* Reads the choices file beside the main input, or the given one, and compares its digests with the files. The
     caller tells the messages.  */
  void load (std::string main, bool preprocessed, const std::string &given);
  /* A warning about a file that is no main input, where it has a choice of its own; else empty. `quoted` is its path
     as the compiler quotes it. Files in other folders are looked for in the choices file beside them.  */
  std::string unused (const std::string &file, const std::string &quoted);

private:
  typedef std::map<std::string, entry> table;
  std::map<std::string, table> others; /* by folder, of files that are included */

  const table &beside (const std::string &other, std::string &problem);
  std::string parse_line (const std::string &line, entry *&into);
  std::string parse (const std::string &text);
  void stale (const std::string &what, const char *help) { messages.push_back ({ true, what, help }); }
};

/* Takes one line into the choices; the reason why it is none, else empty. `into` is the entry of the last source.  */
inline std::string
choices::parse_line (const std::string &line, entry *&into)
{
  for (char c : line)
    if (is_control (c) && c != '\t')
      return "it has a control character";
  size_t space = line.find (' ');
  if (space == std::string::npos)
    return "it has no value";
  std::string word = line.substr (0, space), value = line.substr (space + 1);
  if (word == "lock")
    {
      if (!is_digest (value) || !lock_digest.empty ())
        return "the lock has one digest";
      lock_digest = value;
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
        if (is_control (c))
          return "the name of a source has a control character";
      if (entries.count (name))
        return "this source has lines already";
      into = &entries[name];
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
inline std::string
choices::parse (const std::string &text)
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
  return lock_digest.empty () ? "2: the digest of the lock is not there" : "";
}

inline void
choices::load (std::string main, bool preprocessed, const std::string &given)
{
  if (preprocessed)
    main = preprocessed_from (main);
  path = given.empty () ? folder_of (main) + choices_name : given;
  folder = folder_of (path);
  std::string text, source, lock;
  if (given.empty () && !exists (path))
    return; /* nothing is chosen in this folder */
  std::string problem = read_file (path, text);
  if (!problem.empty ())
    return stale (path + ": cannot be read: " + problem + "; nothing is tuned", write_it);
  problem = parse (text);
  if (!problem.empty ())
    {
      entries.clear ();
      return stale (path + ":" + problem + "; nothing is tuned", write_it);
    }
  auto found = entries.find (main.substr (folder_of (main).size ()));
  if (found == entries.end ())
    return;
  problem = read_file (folder + lock_name, lock);
  if (!problem.empty ())
    return stale (folder + lock_name + ": cannot be compared with " + choices_name + ": " + problem + "; nothing is tuned",
                  write_it);
  if (digest_of (lock) != lock_digest)
    return stale (path + ": " + lock_name + " changed since it was written; nothing is tuned", write_it);
  problem = read_file (main, source);
  if (!problem.empty () || digest_of (source) != found->second.digest)
    return stale (problem.empty () ? main + " changed since it was tuned; its defaults are used"
                                   : main + ": cannot be compared with " + choices_name + ": " + problem
                                       + "; its defaults are used",
                  "tunepass build tunes it again; tunepass flags-file --format choices takes over a choice that still fits");
  current = &found->second;
  for (const std::string &what : current->stale)
    stale (what, "tunepass build tunes it again");
  for (const std::string &what : current->lacking)
    messages.push_back ({ false, main + ": " + what, "" });
}

/* The entries of the choices file in a folder, read once; `problem` is why there are none, told at the first question.  */
inline const choices::table &
choices::beside (const std::string &other, std::string &problem)
{
  if (other == folder)
    return entries;
  auto made = others.emplace (other, table ());
  std::string text, name = other + choices_name;
  if (!made.second || !exists (name))
    return made.first->second;
  choices read;
  problem = read_file (name, text);
  if (problem.empty ())
    problem = read.parse (text);
  if (problem.empty ())
    made.first->second.swap (read.entries);
  else
    problem = name + ":" + (problem[0] == ' ' || is_digit (problem[0]) ? "" : " cannot be read: ") + problem;
  return made.first->second;
}

inline std::string
choices::unused (const std::string &file, const std::string &quoted)
{
  std::string other = folder_of (file), problem;
  const table &known = beside (other, problem);
  if (!problem.empty ())
    return problem + "; it is not known whether " + quoted + " has a choice";
  auto found = known.find (file.substr (other.size ()));
  if (found == known.end () || &found->second == current)
    return "";
  return quoted + " has a choice of its own, which is not applied where another file includes it";
}

/* The name of a macro as -D has it.  */
inline std::string
name_of (const std::string &macro)
{
  return macro.substr (0, macro.find_first_of ("=("));
}

} // namespace tunepass

#endif
