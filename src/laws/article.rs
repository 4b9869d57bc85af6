//! A citation, in the numbering of its edition.

use std::fmt;

/// Longest citation, in bytes.
pub const MAX_ARTICLE: usize = 23;

/// A citation, in the numbering of its edition.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Article {
    text: [u8; MAX_ARTICLE],
    length: u8,
}

impl Article {
    /// A citation written in the code; what is past [`MAX_ARTICLE`] is cut off.
    pub const fn new(text: &str) -> Article {
        let bytes = text.as_bytes();
        let mut article = Article { text: [0; MAX_ARTICLE], length: 0 };
        while (article.length as usize) < bytes.len() && (article.length as usize) < MAX_ARTICLE {
            article.text[article.length as usize] = bytes[article.length as usize];
            article.length += 1;
        }
        article
    }

    /// As it is cited: `6.9`.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.text[..self.length as usize]).unwrap_or_default()
    }
}

impl fmt::Debug for Article {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Article {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
