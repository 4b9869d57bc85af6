//! The outside of an envelope (I.2): what stands on it, as text and as a page made for paper.

use std::fmt::Write;

use super::escaped;

/// What stands on an envelope.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cover {
    /// Number of the game.
    pub game: u64,
    /// Name of the tournament; may be empty.
    pub event: String,
    /// Tournament, round and board, as in `1.3.12`.
    pub place_in_event: String,
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// The position before the sealed move, in FEN.
    pub fen: String,
    /// Time used by each, White's first.
    pub used: [String; 2],
    /// What the clocks show, White's first.
    pub left: [String; 2],
    /// Who sealed: `White` or `Black`.
    pub sealer: String,
    /// Number of the sealed move, as in `31` or `31…`.
    pub number: String,
    /// Whose draw offer stands: `White`, `Black`, or nothing.
    pub offer: Option<String>,
    /// Date and time of the resumption; empty while it is not known.
    pub resumes: String,
    /// Its place; empty while it is not known.
    pub place: String,
    /// What fixes the sealed move, in hexadecimal; empty where nothing was written.
    pub commitment: String,
    /// By which edition and articles.
    pub laws: String,
}

/// Stands for what is not known yet, to be written by hand.
const BLANK: &str = "______________________";

impl Cover {
    fn sealed_by(&self) -> &str {
        if self.sealer == "White" { &self.white } else { &self.black }
    }

    /// The items in the order of the Laws, each with its name.
    fn items(&self) -> [(&'static str, String); 7] {
        let known = |text: &str| if text.is_empty() { BLANK.to_string() } else { text.to_string() };
        let [(white_used, black_used), (white, black)] = [(&self.used[0], &self.used[1]), (&self.left[0], &self.left[1])];
        let offer = self.offer.as_ref().map_or("none".to_string(), |by| format!("by {by}"));
        [
            ("Players", format!("White {}, Black {}", self.white, self.black)),
            ("Position", self.fen.clone()),
            ("Time used", format!("White {white_used}, Black {black_used} (clocks show {white} and {black})")),
            ("Sealed by", format!("{} ({})", self.sealed_by(), self.sealer)),
            ("Sealed move", format!("number {}", self.number)),
            ("Draw offer", offer),
            ("Resumption", format!("{}, {}", known(&self.resumes), known(&self.place))),
        ]
    }

    /// Plain text, with the board.
    pub fn text(&self) -> String {
        let mut text = format!("SEALED MOVE   {}, game {}, board {}   {}\n\n", self.event, self.game, self.place_in_event, self.laws);
        for (name, item) in self.items() {
            let _ = writeln!(text, "{name:<12} {item}");
        }
        text.push('\n');
        for (rank, row) in (1..=8).rev().zip(self.rows()) {
            let squares: Vec<String> = row.iter().map(|piece| piece.map_or(".".to_string(), String::from)).collect();
            let _ = writeln!(text, "  {rank}  {}", squares.join(" "));
        }
        text.push_str("     a b c d e f g h\n");
        if !self.commitment.is_empty() {
            let _ = writeln!(text, "\nCommitment   {}", self.commitment);
        }
        text
    }

    /// A page for an envelope of the size C5, or to be glued on one.
    pub fn html(&self) -> String {
        let mut page = String::from(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Sealed move</title>\n<style>\n\
             @page { size: 229mm 162mm; margin: 10mm }\n\
             body { font: 11pt/1.4 serif; margin: 0; color: #000; background: #fff }\n\
             h1 { font-size: 14pt; margin: 0 0 4mm } main { display: flex; gap: 8mm }\n\
             table.board { border-collapse: collapse } table.board th { font: 8pt sans-serif; padding: 0 1mm } table.board td { border: .2mm solid #000 }\n\
             table.board td { width: 10mm; height: 10mm; text-align: center; vertical-align: middle; font: 8mm/1 \"DejaVu Sans\", \"Segoe UI Symbol\", serif }\n\
             table.board td.dark { background: #ccc; -webkit-print-color-adjust: exact; print-color-adjust: exact }\n\
             dl { margin: 0 } dt { font-weight: bold } dd { margin: 0 0 1.5mm } footer { margin-top: 4mm; font: 8pt monospace; overflow-wrap: anywhere }\n\
             .sign { margin-top: 5mm }\n</style></head><body>\n",
        );
        let _ = writeln!(
            page,
            "<h1>Sealed move &middot; {}, game {}, board {}</h1>\n<main>",
            escaped(&self.event),
            self.game,
            escaped(&self.place_in_event)
        );
        page.push_str("<table class=\"board\">\n");
        for (rank, row) in self.rows().iter().enumerate() {
            let _ = write!(page, "<tr><th>{}</th>", 8 - rank);
            for (file, piece) in row.iter().enumerate() {
                let class = if (rank + file) % 2 == 1 { " class=\"dark\"" } else { "" };
                let _ = write!(page, "<td{class}>{}</td>", piece.map_or("", figurine));
            }
            page.push_str("</tr>\n");
        }
        page.push_str("<tr><th></th>");
        ('a'..='h').for_each(|file| page.push_str(&format!("<th>{file}</th>")));
        page.push_str("</tr></table>\n<dl>\n");
        for (name, item) in self.items() {
            let _ = writeln!(page, "<dt>{name}</dt><dd>{}</dd>", escaped(&item));
        }
        page.push_str("</dl></main>\n<p class=\"sign\">Arbiter ______________________________ &nbsp; Players ______________________________</p>\n");
        let commitment = if self.commitment.is_empty() { String::new() } else { format!(" &middot; commitment {}", self.commitment) };
        let _ = writeln!(page, "<footer>{}{commitment}</footer>\n</body></html>", escaped(&self.laws));
        page
    }

    /// The eight ranks from the eighth down, as the FEN has them.
    fn rows(&self) -> Vec<[Option<char>; 8]> {
        let board = self.fen.split(' ').next().unwrap_or_default();
        let row = |rank: &str| {
            let mut row = [None; 8];
            let mut file = 0;
            for c in rank.chars() {
                match c.to_digit(10) {
                    Some(empty) => file += empty as usize,
                    None => {
                        if let Some(square) = row.get_mut(file) {
                            *square = Some(c);
                        }
                        file += 1;
                    }
                }
            }
            row
        };
        board.split('/').take(8).map(row).collect()
    }
}

fn figurine(piece: char) -> &'static str {
    match piece {
        'K' => "♔",
        'Q' => "♕",
        'R' => "♖",
        'B' => "♗",
        'N' => "♘",
        'P' => "♙",
        'k' => "♚",
        'q' => "♛",
        'r' => "♜",
        'b' => "♝",
        'n' => "♞",
        'p' => "♟",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cover() -> Cover {
        Cover {
            game: 7,
            event: "Open".to_string(),
            place_in_event: "1.3.12".to_string(),
            white: "O'Kelly & <Son>, A".to_string(),
            black: "Black, B".to_string(),
            fen: "r5k1/5ppp/1p6/8/8/1P6/5PPP/3R2K1 w - - 0 31".to_string(),
            used: ["1:12:30".to_string(), "1:05:00".to_string()],
            left: ["0:17:30".to_string(), "0:25:00".to_string()],
            sealer: "White".to_string(),
            number: "31".to_string(),
            commitment: "ab".repeat(32),
            laws: "Laws of 2023, I.2".to_string(),
            ..Cover::default()
        }
    }

    #[test]
    fn every_item_stands_on_it() {
        let text = cover().text();
        for item in ["White O'Kelly", "31", "1:12:30", "0:25:00", "(White)", "none", BLANK, "  1  . . . R . . K .", "  8  r . . . . . k ."] {
            assert!(text.contains(item), "{item} is missing:\n{text}");
        }
        assert_eq!(text.lines().filter(|line| line.contains("Resumption")).count(), 1);
    }

    #[test]
    fn a_page_says_the_same_and_breaks_nothing() {
        let page = cover().html();
        assert!(page.contains("O'Kelly &amp; &lt;Son&gt;, A") && !page.contains("<Son>"));
        assert_eq!((page.matches("<td").count(), page.matches("♖").count(), page.matches("♟").count()), (64, 1, 4));
        assert_eq!(page.matches("class=\"dark\"").count(), 32);
        // The corner at the bottom left is dark.
        let last = page.lines().rfind(|line| line.starts_with("<tr><th>1")).unwrap();
        assert!(last.starts_with("<tr><th>1</th><td class=\"dark\">"), "{last}");
    }
}
