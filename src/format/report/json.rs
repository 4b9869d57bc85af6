//! A report for programs.

use serde_json::{Map, Value, json};
use shakmaty::Color;

use super::{Report, Row, Standing, name};
use crate::clock::Reading;
use crate::laws::Article;

fn cited(article: Option<Article>) -> Value {
    article.map_or(Value::Null, |article| article.as_str().into())
}

fn times(left: &Reading) -> Value {
    json!({ "white_ms": left.white.0, "black_ms": left.black.0 })
}

fn standing(standing: &Standing) -> Value {
    json!({
        "left": times(&standing.left),
        "counted": [standing.counted.white, standing.counted.black],
        "plies": standing.plies,
        "phase": standing.phase,
        "result": standing.result,
    })
}

fn row(row: &Row) -> Value {
    let stamp = |s: &crate::venue::DeviceStamp| json!({ "device": s.device.0, "boot": s.boot, "report": s.report, "at_ms": s.at.0 });
    let follows = row.follows.iter().map(|f| json!({ "entry": f.entry.0, "text": f.said, "article": cited(f.article), "incident": f.incident }));
    json!({
        "entries": [row.first.0, row.last.0],
        "at": row.at.to_string(),
        "by": row.who,
        "stamp": row.stamp.as_ref().map(stamp),
        "came_ms": row.came.map(|came| came.late.0),
        "uncertainty_ms": row.came.map(|came| came.error.0),
        "believed": row.came.map(|came| came.believed),
        "counted_at_ms": row.counted_at.map(|at| at.0),
        "text": row.said,
        "article": cited(row.article),
        "reason": row.reason,
        "follows": follows.collect::<Vec<_>>(),
        "left": times(&row.left),
        "before": row.change.as_ref().map(|[before, _]| standing(before)),
        "after": row.change.as_ref().map(|[_, after]| standing(after)),
    })
}

impl Report {
    /// A JSON object.
    pub fn json(&self) -> Value {
        let head: Map<String, Value> = self.head.iter().map(|(name, what)| (name.to_string(), what.clone().into())).collect();
        let flags = self.flags.iter().map(|flag| {
            json!({
                "entry": flag.entry.0,
                "side": name(flag.color),
                "at_ms": flag.at.0,
                "device": flag.timekeeper.map_or(0, |device| device.0),
                "time_of_day": flag.hall.map(|(at, _)| at.to_string()),
                "uncertainty_ms": flag.hall.map(|(_, error)| error.0),
                "known": flag.known,
                "ran": flag.ran.as_ref().map(|ran| json!({ "entry": ran.entry.0, "by": ran.by, "since_ms": ran.since.0, "free_ms": ran.free.0, "left_ms": ran.left.0 })),
                "other_ms": flag.other.0,
                "last_press": flag.press.map(|press| json!({ "entry": press.entry.0, "side": name(press.by), "at_ms": press.at.0 })),
                "called": flag.called.as_ref().map(|called| json!({ "entry": called.entry.0, "by": called.by, "article": called.article.as_str() })),
                "withdrawn": flag.withdrawn.map(|seq| seq.0),
            })
        });
        let corrections = self.ledger.corrections.iter().map(|c| {
            json!({ "entry": c.entry.0, "text": c.said, "article": cited(c.article), "white_ms": c.change.white.0, "black_ms": c.change.black.0 })
        });
        let network = |color| {
            let network = self.ledger.network.get(color);
            json!({ "measured": network.measured, "unmeasured": network.unmeasured, "by_the_daemon": network.by_the_daemon, "sum_ms": network.sum.0, "greatest_ms": network.greatest.map(|late| late.0), "credited_ms": network.credited.0 })
        };
        let mut ledger = json!({
            "presses": [self.ledger.presses.white, self.ledger.presses.black],
            "network": [network(Color::White), network(Color::Black)],
            "corrections": corrections.collect::<Vec<_>>(),
            "gained_ms": [self.ledger.gained(Color::White).0, self.ledger.gained(Color::Black).0],
        });
        if let Some(between) = &self.ledger.between {
            ledger["between"] = json!({ "measured": between.measured, "least_ms": between.least.0, "most_ms": between.most.0 });
        }
        json!({
            "game": self.game,
            "head": head,
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
            "flags": flags.collect::<Vec<_>>(),
            "ledger": ledger,
            "moves": self.moves,
            "until": self.until.0.0,
        })
    }
}
