/* tunepass.so: a plugin of clang that applies the choices of tunepass.choices, which `tunepass flags-file --format
   choices` writes beside tunepass.lock.

   Built by `tunepass clang-plugin` against the headers of one installed clang, which it then fits exactly. In this order:
     registration        compares the version of the clang that loads it with the headers', before any class is used
     CreateASTConsumer   reads the choices of the main input, compares digests, and defines the macros, after those of
                         the command line and before the first line of any file
     file_watcher        tells of included files with choices of their own; lists the choices file for -MD
     pragma_handler      checks each #pragma tunepass, and writes the compiler's own pragmas for hints

   clang asks plugins for nothing while it only preprocesses (-E).  */

#include "pragmas.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/DiagnosticParse.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"

#include <memory>

namespace clang {
extern std::string getClangFullVersion () __attribute__ ((weak)); /* with another C++ library its name is another */
}

namespace {

using namespace tunepass;
using namespace clang;

/* For one main input. The preprocessor's handlers hold it in common.  */
struct unit
{
  choices chosen;
  bool preprocessed;
};

void
report (DiagnosticsEngine &engine, DiagnosticsEngine::Level level, SourceLocation place, const std::string &text)
{
  engine.Report (place, engine.getDiagnosticIDs ()->getCustomDiagID ((DiagnosticIDs::Level) level, "%0")) << text;
}

/* The tokens of one pragma.  */
struct reader
{
  typedef SourceLocation Place;
  Preprocessor &preprocessor;
  const unit &input;
  bool ended = false;

  token<Place> next ();
  void warn (Place place, const std::string &text);
  std::string quoted (const std::string &text) { return "'" + text + "'"; }
  bool text_of_macro (const std::string &name, std::string &text);
  bool has_choice () { return input.chosen.current; }
  bool line_after (Place place, unsigned n, std::string &text);
};

token<SourceLocation>
reader::next ()
{
  Token raw;
  preprocessor.LexUnexpandedToken (raw);
  token<SourceLocation> read = { token_kind::other, raw.getLocation (), "" };
  ended = raw.isOneOf (tok::eod, tok::eof);
  if (ended)
    read.kind = token_kind::end;
  else if (raw.getIdentifierInfo ())
    read = { token_kind::name, read.place, raw.getIdentifierInfo ()->getName ().str () };
  else if (raw.is (tok::numeric_constant))
    read = { token_kind::number, read.place, preprocessor.getSpelling (raw) };
  else if (raw.is (tok::l_paren))
    read.kind = token_kind::opening;
  else if (raw.is (tok::r_paren))
    read.kind = token_kind::closing;
  else if (raw.is (tok::colon))
    read.kind = token_kind::colon;
  return read;
}

/* As clang warns of its own pragmas: -Wignored-pragmas, and -Werror= of it, hold for ours, too.  */
void
reader::warn (SourceLocation place, const std::string &text)
{
  DiagnosticsEngine &engine = preprocessor.getDiagnostics ();
  DiagnosticsEngine::Level level = engine.getDiagnosticLevel (diag::warn_pragma_expected_lparen, place);
  if (level != DiagnosticsEngine::Ignored)
    report (engine, level, place, "tunepass: " + text + " [-Wignored-pragmas]");
}

/* In preprocessed text as it was chosen.  */
bool
reader::text_of_macro (const std::string &name, std::string &text)
{
  const MacroInfo *macro = preprocessor.getMacroInfo (preprocessor.getIdentifierInfo (name));
  if (macro && macro->isObjectLike () && macro->getNumTokens () == 1)
    {
      text = preprocessor.getSpelling (macro->getReplacementToken (0));
      return true;
    }
  return input.preprocessed && text_of_chosen (input.chosen.current, name, text);
}

bool
reader::line_after (SourceLocation place, unsigned n, std::string &text)
{
  SourceManager &sources = preprocessor.getSourceManager ();
  std::pair<FileID, unsigned> at = sources.getDecomposedExpansionLoc (place);
  StringRef rest = sources.getBufferData (at.first).substr (at.second);
  for (; n; n--)
    {
      size_t end = rest.find ('\n');
      if (end == StringRef::npos)
        return false;
      rest = rest.substr (end + 1);
    }
  text = rest.substr (0, rest.find ('\n')).str ();
  return true;
}

struct pragma_handler : PragmaHandler
{
  std::shared_ptr<unit> input;

  pragma_handler (std::shared_ptr<unit> of) : PragmaHandler ("tunepass"), input (std::move (of)) {}
  void HandlePragma (Preprocessor &, PragmaIntroducer, Token &) override;
};

/* `_Pragma ("TEXT")`, as the preprocessor is to read it next.  */
void
add_pragma (Preprocessor &preprocessor, SourceLocation place, const std::string &text, std::vector<Token> &into)
{
  Token name, opening, string, closing;
  for (Token *made : { &name, &opening, &string, &closing })
    {
      made->startToken ();
      made->setLocation (place);
      made->setLength (1);
    }
  name.setIdentifierInfo (preprocessor.getIdentifierInfo ("_Pragma"));
  name.setKind (name.getIdentifierInfo ()->getTokenID ());
  name.setLength (strlen ("_Pragma"));
  opening.setKind (tok::l_paren);
  closing.setKind (tok::r_paren);
  string.setKind (tok::string_literal);
  preprocessor.CreateString ("\"" + text + "\"", string, place, place);
  into.insert (into.end (), { name, opening, string, closing });
}

/* The same pragmas in the same order as `tunepass build` writes.  */
void
pragma_handler::HandlePragma (Preprocessor &preprocessor, PragmaIntroducer, Token &)
{
  reader tokens = { preprocessor, *input };
  SourceLocation place;
  hint_values values;
  bool is_hint = read_pragma (tokens, place, values);
  while (!tokens.ended)
    tokens.next ();
  if (!is_hint)
    return;
  if (follows (tokens, place) == following::directive)
    return tokens.warn (place, "this hint has no effect: clang takes none before another directive");
  std::vector<Token> made;
  if (values.vectorize >= 0)
    add_pragma (preprocessor, place, values.vectorize ? "clang loop vectorize(enable)" : "clang loop vectorize(disable)", made);
  if (values.unroll >= 0)
    add_pragma (preprocessor, place, "GCC unroll " + std::to_string (std::max (values.unroll, 1L)), made);
  std::unique_ptr<Token[]> stream (new Token[made.size ()]);
  std::copy (made.begin (), made.end (), stream.get ());
  preprocessor.EnterTokenStream (std::move (stream), made.size (), false, false);
}

/* A path without the `./` that clang puts before files beside the main input.  */
std::string
plain_path (StringRef path)
{
  std::string plain = path.str ();
  while (plain.compare (0, 2, "./") == 0)
    plain.erase (0, plain.find_first_not_of ('/', 1));
  return plain;
}

struct file_watcher : PPCallbacks
{
  Preprocessor &preprocessor;
  std::shared_ptr<unit> input;

  file_watcher (Preprocessor &of, std::shared_ptr<unit> with) : preprocessor (of), input (std::move (with)) {}
  void FileChanged (SourceLocation, FileChangeReason, SrcMgr::CharacteristicKind, FileID) override;
  void EndOfMainFile () override;
};

void
file_watcher::FileChanged (SourceLocation place, FileChangeReason reason, SrcMgr::CharacteristicKind kind, FileID)
{
  SourceManager &sources = preprocessor.getSourceManager ();
  FileID file = sources.getFileID (place);
  SourceLocation from = sources.getIncludeLoc (file);
  if (reason != EnterFile || file == sources.getMainFileID () || from.isInvalid () || kind != SrcMgr::C_User)
    return;
  std::string path = plain_path (sources.getFilename (place)), text = input->chosen.unused (path, "'" + path + "'");
  if (!text.empty ())
    report (preprocessor.getDiagnostics (), DiagnosticsEngine::Warning, from, "tunepass: " + text);
}

/* What -MD writes is collected from questions like that of `__has_include`, and written after this.  */
void
file_watcher::EndOfMainFile ()
{
  const std::string &path = input->chosen.path;
  auto file = preprocessor.getFileManager ().getOptionalFileRef (path);
  if (input->chosen.current && file)
    preprocessor.getPPCallbacks ()->HasInclude (SourceLocation (), path, false, file, SrcMgr::C_User);
}

void
define_macros (CompilerInstance &compiler, const entry &current)
{
  PreprocessorOptions &options = compiler.getPreprocessorOpts ();
  for (const std::string &macro : current.macros)
    {
      bool undefined = macro[0] == '-';
      options.addMacroUndef (name_of (undefined ? macro.substr (1) : macro));
      if (!undefined)
        options.addMacroDef (macro);
    }
  InitializePreprocessor (compiler.getPreprocessor (), options, compiler.getPCHContainerReader (),
                          compiler.getFrontendOpts ()
#if CLANG_VERSION_MAJOR >= 19
                            , compiler.getCodeGenOpts ()
#endif
  );
}

class apply_choice : public PluginASTAction
{
  std::string given; /* choices file */
  bool stale_is_error = false;

  ActionType getActionType () override { return AddBeforeMainAction; }
  bool ParseArgs (const CompilerInstance &, const std::vector<std::string> &) override;
  std::unique_ptr<ASTConsumer> CreateASTConsumer (CompilerInstance &, StringRef) override;
};

bool
apply_choice::ParseArgs (const CompilerInstance &compiler, const std::vector<std::string> &arguments)
{
  for (const std::string &argument : arguments)
    if (argument.compare (0, 8, "choices=") == 0 && argument.size () > 8)
      given = argument.substr (8);
    else if (argument == "stale=error" || argument == "stale=warning")
      stale_is_error = argument == "stale=error";
    else
      {
        report (compiler.getDiagnostics (), DiagnosticsEngine::Error, SourceLocation (),
                "tunepass: unknown argument '-fplugin-arg-tunepass-" + argument + "'");
        report (compiler.getDiagnostics (), DiagnosticsEngine::Note, SourceLocation (),
                "known are choices=FILE, stale=warning and stale=error");
        return false;
      }
  return true;
}

/* Reads the choices, and tells what does not fit; the compiler goes on.  */
std::unique_ptr<ASTConsumer>
apply_choice::CreateASTConsumer (CompilerInstance &compiler, StringRef)
{
  auto input = std::make_shared<unit> ();
  const auto &inputs = compiler.getFrontendOpts ().Inputs;
  bool is_file = inputs.size () == 1 && inputs[0].isFile ();
  std::string main = is_file ? plain_path (inputs[0].getFile ()) : "";
  input->preprocessed = is_file && inputs[0].isPreprocessed ();
  input->chosen.load (main, input->preprocessed, given);
  const entry *current = input->chosen.current;
  if (current && input->preprocessed && !current->macros.empty ())
    input->chosen.messages.push_back ({ true, main + ": is preprocessed already: macros of the choice are not applied",
                                        "clang -E asks no plugin; compile the source itself, or give clang @FILE" });
  DiagnosticsEngine &engine = compiler.getDiagnostics ();
  for (const message &told : input->chosen.messages)
    {
      report (engine, told.stale && stale_is_error ? DiagnosticsEngine::Error : DiagnosticsEngine::Warning,
              SourceLocation (), "tunepass: " + told.text);
      if (told.stale)
        report (engine, DiagnosticsEngine::Note, SourceLocation (), told.help);
    }
  if (current)
    {
      for (const std::string &option : current->options)
        report (engine, DiagnosticsEngine::Warning, SourceLocation (),
                "tunepass: the chosen option '" + option + "' cannot be set by a plugin of clang; give it to the compiler");
      if (!input->preprocessed)
        define_macros (compiler, *current);
    }
  Preprocessor &preprocessor = compiler.getPreprocessor ();
  preprocessor.AddPragmaHandler (new pragma_handler (input));
  preprocessor.addPPCallbacks (std::make_unique<file_watcher> (preprocessor, input));
  return std::make_unique<ASTConsumer> ();
}

/* No class of another clang is like those of the headers: it is told, and nothing is compiled.  */
struct registration
{
  registration ();
};

registration::registration ()
{
  std::string stated = &clang::getClangFullVersion ? clang::getClangFullVersion () : "a clang of another C++ library";
  size_t at = stated.find ("version ");
  std::string version = at == std::string::npos ? stated : stated.substr (at + strlen ("version "));
  version.resize (std::min (version.find_first_of (" -+~("), version.size ()));
  if (version != CLANG_VERSION_STRING)
    {
      fprintf (stderr, "error: tunepass: this plugin is for clang %s, and this is %s\n", CLANG_VERSION_STRING, stated.c_str ());
      fprintf (stderr, "note: 'tunepass clang-plugin --compiler COMPILER' builds it for this one\n");
      _Exit (1);
    }
  static FrontendPluginRegistry::Add<apply_choice> added ("tunepass", "applies the choices of tunepass.choices");
}

registration registered;

} // namespace
