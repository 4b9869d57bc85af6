//! One-time codes and tokens as people and programs see them. The venue knows only their hashes.

use std::fmt;

use zeroize::Zeroizing;

use super::credentials::{CredentialId, SecretHash};

/// Characters of a code, without those that are read as another: no I, L, O or U (Crockford's base 32).
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Characters of a code: 60 bits, which nobody guesses in the time that it is good.
const CODE_LENGTH: usize = 12;
/// Characters between two hyphens.
const CODE_GROUP: usize = 4;
/// How a token begins.
const TOKEN: &str = "zeitnot";
/// Longest token that is looked at, in bytes.
pub const MAX_TOKEN: usize = 128;

/// A one-time code.
pub struct Code(Zeroizing<String>);

/// The secret of a credential.
pub struct Token {
    credential: CredentialId,
    secret: Zeroizing<[u8; 32]>,
}

impl Code {
    /// A code made of random bytes.
    pub fn new(random: [u8; CODE_LENGTH]) -> Code {
        Code(Zeroizing::new(random.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect()))
    }

    /// Reads one as it was typed: capitals, hyphens and spaces do not matter, nor O for 0, or I and L for 1. `None`: it is no code.
    pub fn read(text: &str) -> Option<Code> {
        let mut code = Zeroizing::new(String::with_capacity(CODE_LENGTH));
        for c in text.chars().filter(|c| !matches!(c, '-' | ' ')) {
            let c = match c.to_ascii_uppercase() {
                'O' => '0',
                'I' | 'L' => '1',
                c => c,
            };
            if code.len() == CODE_LENGTH || !u8::try_from(c).is_ok_and(|byte| ALPHABET.contains(&byte)) {
                return None;
            }
            code.push(c);
        }
        (code.len() == CODE_LENGTH).then_some(Code(code))
    }

    /// What the venue knows of it.
    pub fn hash(&self) -> SecretHash {
        SecretHash(blake3::derive_key("zeitnot one-time code v1", self.0.as_bytes()))
    }
}

impl Token {
    /// The token of a credential, made of random bytes.
    pub fn new(credential: CredentialId, random: [u8; 32]) -> Token {
        Token { credential, secret: Zeroizing::new(random) }
    }

    /// Reads one as it is shown, and in no other spelling. `None`: it is no token.
    pub fn read(text: &str) -> Option<Token> {
        let (credential, secret) = text.strip_prefix(TOKEN)?.strip_prefix('.')?.split_once('.').filter(|_| text.len() <= MAX_TOKEN)?;
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
        if secret.len() != 64 || !secret.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) || !digits(credential) {
            return None;
        }
        let mut bytes = Zeroizing::new([0; 32]);
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(secret.get(2 * i..2 * i + 2)?, 16).ok()?;
        }
        Some(Token { credential: CredentialId(credential.parse().ok()?), secret: bytes })
    }

    /// Which credential it claims to be.
    pub fn credential(&self) -> CredentialId {
        self.credential
    }

    /// What the venue knows of it.
    pub fn hash(&self) -> SecretHash {
        SecretHash(blake3::derive_key("zeitnot token v1", &self.secret[..]))
    }

    /// Whether it is the one of which the venue knows this; takes as long whatever it is.
    pub fn is(&self, known: SecretHash) -> bool {
        blake3::Hash::from_bytes(self.hash().0) == blake3::Hash::from_bytes(known.0)
    }
}

/// As it is told, once.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, c) in self.0.chars().enumerate() {
            if i > 0 && i % CODE_GROUP == 0 {
                f.write_str("-")?;
            }
            write!(f, "{c}")?;
        }
        Ok(())
    }
}

/// As it is told, once, and shown ever after.
impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{TOKEN}.{}.", self.credential.0)?;
        self.secret.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code")
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({})", self.credential.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let code = Code::new([0, 1, 2, 3, 31, 30, 29, 28, 255, 17, 18, 19]);
        assert_eq!(code.to_string(), "0123-ZYXW-ZHJK");
        for typed in ["0123-ZYXW-ZHJK", "0123 zyxw zhjk", "oi23zyxwzhjk", "OL23ZYXWZHJK"] {
            assert_eq!(Code::read(typed).expect(typed).hash(), code.hash(), "{typed}");
        }
        for wrong in ["", "0123-ZYXW-ZHJ", "0123-ZYXW-ZHJKK", "0123-ZYXW-ZHJU", "0123-ZYXW-ZHJé"] {
            assert!(Code::read(wrong).is_none(), "{wrong}");
        }
        assert_ne!(Code::read("1123-ZYXW-ZHJK").expect("a code").hash(), code.hash());
    }

    #[test]
    fn a_token_is_read_as_it_is_shown_and_prints_as_nothing() {
        let token = Token::new(CredentialId(17), [0xab; 32]);
        let text = token.to_string();
        let read = Token::read(&text).expect("a token");
        assert_eq!((read.credential(), read.hash()), (CredentialId(17), token.hash()));
        assert!(read.is(token.hash()) && !read.is(Token::new(CredentialId(17), [0xac; 32]).hash()));
        assert!(!format!("{token:?}").contains("abab"));
        for wrong in ["", "zeitnot", "zeitnot.17", "zeitnot.x.ab", &text[1..], &text[..text.len() - 1], &format!("{text}0"), &text.replace("ab", "é")]
        {
            assert!(Token::read(wrong).is_none(), "{wrong}");
        }
        for (part, other) in [("17", "+17"), ("17", "017"), ("abab", "ABAB"), ("abab", "+a+b")] {
            assert!(Token::read(&text.replacen(part, other, 1)).is_none(), "{other}");
        }
    }
}
