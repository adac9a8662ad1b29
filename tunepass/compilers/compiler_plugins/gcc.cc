/* tunepass.so: a plugin of gcc that applies the choices of tunepass.choices, which `tunepass flags-file --format
   choices` writes beside tunepass.lock.

   Built by `tunepass gcc-plugin` against the headers of one installed gcc, which it then fits exactly. In this order:
     plugin_init    reads the choices of the main input, and compares the digests that they state with the files
     file_change    defines the macros, after the command line's -D and before the first line of any file
     start_unit     the optimisation options of each function, as #pragma GCC optimize and target set them
     pragmas        checks each #pragma tunepass, and notes the hints for loops
     pass           gives the hints to the loops, once they are known

   Names of the C front ends are weak: lto1 has none of them, and there the plugin does nothing.  */

#include "pragmas.h" /* before gcc's headers, which forbid names of the C library */

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
#include "intl.h"
#include "stringpool.h"
#include "diagnostic.h"
#include "options.h"
#include "opts.h"
#include "target.h"
#include "cpplib.h"
#include "c-family/c-pragma.h"

extern void register_callback (const char *, int, plugin_callback_func, void *) __attribute__ ((weak));
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

#if GCCPLUGIN_VERSION_MAJOR < 12
#define EACH_LOOP(LOOP) class loop *LOOP; FOR_EACH_LOOP (LOOP, 0)
#else
#define EACH_LOOP(LOOP) for (class loop *LOOP : loops_list (cfun, 0))
#endif

int plugin_is_GPL_compatible; /* gcc loads no plugin without it */

namespace {

using namespace tunepass;

choices chosen;
bool stale_is_error;
location_t no_place = UNKNOWN_LOCATION;

/* One hint for the loop after a pragma.  */
struct hint
{
  location_t place;
  hint_values values;
  bool used = false;
};
std::vector<hint> hints;

/* Reads the choices for the main input, and tells what does not fit; the compiler goes on.  */
void
load (const char *given)
{
  chosen.load (main_input_filename ? main_input_filename : "", cpp_get_options (parse_in)->preprocessed, given ? given : "");
  for (const message &told : chosen.messages)
    {
      if (told.stale && stale_is_error)
        error_at (no_place, "tunepass: %s", told.text.c_str ());
      else
        warning_at (no_place, 0, "tunepass: %s", told.text.c_str ());
      if (told.stale)
        inform (no_place, "%s", told.help.c_str ());
    }
}

void (*next_file_change) (cpp_reader *, const line_map_ordinary *);
bool macros_defined;

void
define_macros ()
{
  macros_defined = true;
  for (const std::string &macro : chosen.current->macros)
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
  if (chosen.current && !macros_defined && !map->sysp) /* what is defined in stdc-predef.h would be the system's */
    define_macros ();
  if (map->reason != LC_ENTER || MAIN_FILE_P (map) || map->sysp)
    return;
  std::string path = ORDINARY_MAP_FILE_NAME (map), text = chosen.unused (path, open_quote + path + close_quote);
  if (!text.empty ())
    warning_at (linemap_included_from (map), 0, "tunepass: %s", text.c_str ());
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
  for (const std::string &option : chosen.current->options)
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
  if (chosen.current && parse_in)
    set_options ();
}

/* Pragmas.  */

struct reader
{
  typedef location_t Place;

  token<Place> next ();
  void warn (Place place, const std::string &text) { warning_at (place, OPT_Wpragmas, "tunepass: %s", text.c_str ()); }
  std::string quoted (const std::string &text) { return open_quote + text + close_quote; }
  bool text_of_macro (const std::string &name, std::string &text);
  bool has_choice () { return chosen.current; }
  bool line_after (Place place, unsigned n, std::string &text);
};

token<location_t>
reader::next ()
{
  token<location_t> read;
  const cpp_token *raw;
  do
    raw = cpp_get_token_with_location (parse_in, &read.place);
  while (raw->type == CPP_PADDING || raw->type == CPP_COMMENT);
  switch (raw->type)
    {
    case CPP_NAME:
      read.kind = token_kind::name;
      read.text = (const char *) NODE_NAME (raw->val.node.node);
      break;
    case CPP_NUMBER:
      read.kind = token_kind::number;
      read.text.assign ((const char *) raw->val.str.text, raw->val.str.len);
      break;
    case CPP_OPEN_PAREN:
      read.kind = token_kind::opening;
      break;
    case CPP_CLOSE_PAREN:
      read.kind = token_kind::closing;
      break;
    case CPP_COLON:
      read.kind = token_kind::colon;
      break;
    case CPP_EOF:
      read.kind = token_kind::end;
      break;
    default:
      read.kind = token_kind::other;
    }
  return read;
}

/* In preprocessed text as it was chosen.  */
bool
reader::text_of_macro (const std::string &name, std::string &text)
{
  cpp_hashnode *node = cpp_lookup (parse_in, (const unsigned char *) name.data (), name.size ());
  if (cpp_macro_p (node) && !cpp_fun_like_macro_p (node))
    {
      text = (const char *) cpp_macro_definition (parse_in, node) + name.size ();
      return true;
    }
  return cpp_get_options (parse_in)->preprocessed && text_of_chosen (chosen.current, name, text);
}

bool
reader::line_after (location_t place, unsigned n, std::string &text)
{
  expanded_location at = expand_location (place);
  char_span line = location_get_source_line (at.file, at.line + n);
  if (line)
    text.assign (line.get_buffer (), line.length ());
  return line;
}

/* Reads one pragma; what is left of its line is skipped.  */
void
take_pragma (cpp_reader *)
{
  reader tokens;
  hint read;
  if (read_pragma (tokens, read.place, read.values))
    hints.push_back (read);
}

void
pragmas (void *, void *)
{
  if (!parse_in)
    return;
  if (!flag_preprocess_only)
    cpp_register_pragma (parse_in, nullptr, "tunepass", take_pragma, false);
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
  EACH_LOOP (loop)
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
  if (given.values.unroll >= 0)
    {
      best->unroll = MAX (given.values.unroll, 1L);
      cfun->has_unroll = true;
    }
  if (given.values.vectorize == 0)
    best->dont_vectorize = true;
  if (given.values.vectorize == 1)
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

/* clang takes any library by -fplugin, calls nothing in it, and would compile the defaults without a word.  */
struct loaded
{
  loaded ();
};

loaded::loaded ()
{
  if (&register_callback)
    return;
  fprintf (stderr, "error: tunepass: this plugin is for gcc %s, and this compiler is no gcc\n", gcc_version.basever);
  fprintf (stderr, "note: for clang there is 'tunepass clang-plugin --compiler COMPILER'\n");
  _Exit (1);
}

loaded checked;

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
  if (chosen.current)
    add_dependency ();
  register_callback (info->base_name, PLUGIN_START_UNIT, start_unit, nullptr);
  register_callback (info->base_name, PLUGIN_START_PARSE_FUNCTION, start_function, nullptr);
  register_callback (info->base_name, PLUGIN_FINISH_UNIT, finish_unit, nullptr);
  register_pass_info pass = { new hints_pass, "cfg", 1, PASS_POS_INSERT_AFTER };
  register_callback (info->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &pass);
  return 0;
}
