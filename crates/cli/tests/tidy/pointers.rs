//! Who trusts a raw pointer says what it must be.

use crate::sources::{Source, has_word, none, rust};

/// Code that is built for tests alone, although it lies beside the product's.
const OF_TESTS: &str = "crates/kernels/src/machine_code/";

/// A function as it is declared: its line, what stands before its name, and its parameters.
struct Function {
    line: usize,
    head: String,
    parameters: String,
}

/// The functions of product code, except those that an `unsafe extern` block only names: these are
/// unsafe unless they say otherwise.
fn functions(source: &Source) -> Vec<Function> {
    let mut found = Vec::new();
    let mut foreign = false;
    let code: Vec<(usize, &str)> = source.code().collect();
    for (at, (line, text)) in code.iter().enumerate() {
        let ends = text.trim_end();
        if ends.starts_with("unsafe extern") && ends.ends_with('{') && !has_word(ends, "fn") {
            foreign = true;
        } else if ends == "}" {
            foreign = false;
        }
        let name = text
            .find("fn ")
            .filter(|_| has_word(text, "fn") && !foreign);
        let Some(name) = name else { continue };
        let rest = code[at..].iter().map(|(_, text)| text.trim());
        let rest: String = rest.take(MOST_LINES).collect::<Vec<_>>().join(" ");
        let rest = &rest[rest.find("fn ").unwrap_or_default()..];
        found.push(Function {
            line: *line,
            head: text[..name].to_owned(),
            parameters: inside_parentheses(rest).to_owned(),
        });
    }
    found
}

/// Lines of the longest declaration of a function.
const MOST_LINES: usize = 20;

/// What is between the first parenthesis, outside of generic parameters, and the one that closes it.
fn inside_parentheses(text: &str) -> &str {
    let (mut depth, mut angles, mut start) = (0, 0, None);
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' if start.is_none() => angles += 1,
            '>' if start.is_none() && before != '-' => angles -= 1,
            '(' if angles == 0 => {
                depth += 1;
                start.get_or_insert(at + 1);
            }
            ')' if angles == 0 => {
                depth -= 1;
                if depth == 0 {
                    return &text[start.unwrap_or_default()..at];
                }
            }
            _ => {}
        }
        before = c;
    }
    ""
}

/// The safe functions that take a raw pointer.
fn trusting(source: &Source) -> Vec<String> {
    let functions = functions(source).into_iter();
    let offences = functions.filter(|function| {
        let parameters = &function.parameters;
        let pointer = parameters.contains("*mut ") || parameters.contains("*const ");
        // What has no name is not used, and so not trusted.
        let used = parameters != "_: *mut c_void";
        pointer && used && !has_word(&function.head, "unsafe")
    });
    offences
        .map(|f| format!("{}:{}: ({})", source.path, f.line, f.parameters.trim()))
        .collect()
}

#[test]
fn no_safe_function_takes_a_raw_pointer() {
    let sources = rust().into_iter();
    let product = sources.filter(|s| s.is_product() && !s.path.starts_with(OF_TESTS));
    none(
        "a function that takes a raw pointer is an `unsafe fn` with a `# Safety` contract; \
         otherwise take a slice or what owns the memory, or an address (usize) if it is not followed",
        product.flat_map(|source| trusting(&source)).collect(),
    );
}

#[test]
fn trust_is_found() {
    let text = "\
//! Sample.
pub fn one(at: *mut u8) {}
pub(crate) fn several(
    &self,
    bytes: usize,
    at: *const u8,
) -> usize {
fn many(all: impl Iterator<Item = *mut u8>) {}
fn generic<F: Fn(usize) -> u8>(call: F, at: *const u8) {}
pub unsafe fn honest(at: *mut u8) {}
unsafe extern \"C\" fn called(at: *mut u8) {}
extern \"C\" fn nothing(_: *mut c_void) {}
unsafe extern \"C\" {
    fn getenv(name: *const c_char) -> *const c_char;
}
fn gives(bytes: usize) -> *mut u8 {
    let a = bytes as *mut u8;
fn after(at: *mut u8) {}
mod tests {
    fn test(at: *mut u8) {}
";
    let source = Source {
        path: "crates/x/src/x.rs".to_owned(),
        text: text.to_owned(),
    };
    let found = trusting(&source);
    let lines: Vec<_> = found.iter().map(|f| f.split(':').nth(1).unwrap()).collect();
    assert_eq!(lines, ["2", "3", "8", "9", "18"], "{found:#?}");
}
