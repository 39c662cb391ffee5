/** Contradictions planted in `loans.md`, each with the finding that `explore` must report. */
import { readFileSync } from "node:fs";
import type { FindingKind } from "../../src/explore/findings/finding.ts";
import { pathOf } from "../repository/repository.ts";

export interface Contradiction {
  readonly name: string;
  readonly kind: FindingKind;
  /** Pairs of a text and its replacement. */
  readonly edits: readonly (readonly [string, string])[];
}

const loans = readFileSync(pathOf("test/explore/loans.md"), "utf8");

/** The document with a contradiction, or unchanged. */
export function planted(contradiction?: Contradiction): string {
  return (contradiction?.edits ?? []).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`loans.md has no "${from}"`);
    return text.replace(from, () => to);
  }, loans);
}

/** An event about remarks, whose payload is a valid body of `POST /remarks`. */
const remarkEvent: readonly [string, string] = [
  "| loan.opened | Loan created | LoanEvent |",
  '| loan.opened | Loan created | LoanEvent |\n| remark.made | Remark created | `{"text": this.text}` |',
];

export const contradictions: readonly Contradiction[] = [
  {
    name: "a value that the rules of the field allow breaks an Always",
    kind: "broken always",
    edits: [["- Always: `this.days <= 10`", "- Always: `this.days <= 9`"]],
  },
  {
    name: "the effect of a transition breaks an Always, at its second firing",
    kind: "broken always",
    edits: [["- Always: `this.days <= 10`", "- Always: `this.extensions < 2`"]],
  },
  {
    name: "an Always over two fields that are changed apart",
    kind: "broken always",
    edits: [["- Always: `this.days <= 10`", "- Always: `this.days < 9 || this.note == null`"]],
  },
  {
    name: "an Always that a state breaks",
    kind: "broken always",
    edits: [["- Always: `this.days <= 10`", '- Always: `this.status != "returned" || this.days > 3`']],
  },
  {
    name: "an effect sets a value that the rules of its field forbid",
    kind: "internal error",
    edits: [
      [
        "| extensions | integer | default 0, read-only |",
        "| extensions | integer | default 0, read-only, 0..1 |",
      ],
    ],
  },
  {
    name: "an effect writes a text that is too long for its field",
    kind: "internal error",
    edits: [
      ["| note | string | length 1..80 |", "| note | string | length 1..12 |"],
      [
        "| lend | open | lent | call | | |",
        '| lend | open | lent | call | | `note = this.tool + " is lent"` |',
      ],
    ],
  },
  {
    name: "a timed transition breaks a rule",
    kind: "background error",
    edits: [["| note | string | length 1..80 |", "| note | string | length 1..12 |"]],
  },
  {
    name: "a guard that the rules of the field exclude",
    kind: "guard never holds",
    edits: [["`this.extensions < 2` else", "`this.days > 10` else"]],
  },
  {
    name: "a guard of two states at once",
    kind: "guard never holds",
    edits: [
      ["`this.extensions < 2` else", '`this.member.role == "staff" && this.member.role == "member"` else'],
    ],
  },
  {
    name: "a state behind a guard that never holds",
    kind: "unreached state",
    edits: [
      [
        "| give_back | lent | returned | call | | |",
        "| give_back | lent | returned | call | `this.extensions > 2` else too_often | |",
      ],
    ],
  },
  {
    name: "a state that nothing leaves, because its one guard never holds",
    kind: "stuck state",
    edits: [
      [
        "| extend | lent | same | call | `this.extensions < 2` else too_often | `extensions = this.extensions + 1` |\n",
        "| extend | open | same | call | `this.extensions < 2` else too_often | `extensions = this.extensions + 1` |\n",
      ],
      [
        "| give_back | lent | returned | call | | |",
        "| give_back | lent | returned | call | `this.extensions > 2` else too_often | |",
      ],
    ],
  },
  {
    name: "an endpoint for callers of two roles at once",
    kind: "no caller",
    edits: [
      [
        '### POST /loans/{id}/lend\n\n- Does: lend Loan\n- Allowed: `caller.role == "staff"`',
        '### POST /loans/{id}/lend\n\n- Does: lend Loan\n- Allowed: `caller.role == "staff" && this.member == caller`',
      ],
    ],
  },
  {
    name: "an endpoint that only staff may call, on records that only members see",
    kind: "no caller",
    edits: [
      ['- Visible: `caller.role == "staff" || this.member == caller`', "- Visible: `this.member == caller`"],
    ],
  },
  {
    name: "two Fails of which one always holds",
    kind: "contradiction",
    edits: [
      [
        '- Fails: too_long on days when `this.days > 7 && this.tool == "saw"`',
        "- Fails: too_long on days when `this.days > 4`\n- Fails: too_often on days when `this.days < 5`",
      ],
    ],
  },
  {
    name: "a Fails that rejects what the rules of the field require",
    kind: "contradiction",
    edits: [
      [
        '- Fails: too_long on days when `this.days > 7 && this.tool == "saw"`',
        "- Fails: too_long on days when `this.days < 11`",
      ],
    ],
  },
  {
    name: "a Fails that the rules of the field exclude",
    kind: "error never applies",
    edits: [['`this.days > 7 && this.tool == "saw"`', "`this.days > 10`"]],
  },
  {
    name: "a response sums records of others",
    kind: "learns of another's record",
    edits: [["Loan.filter(l, l.member == caller).size()", "Loan.sum(l, l.days)"]],
  },
  {
    name: "a response lists records of others",
    kind: "learns of another's record",
    edits: [["Loan.filter(l, l.member == caller).size()", "Loan.filter(l, l.days > 0).map(l, l.tool)"]],
  },
  {
    name: "a rejection reveals that another has the tool",
    kind: "learns of another's record",
    edits: [
      ['`this.days > 7 && this.tool == "saw"`', "`Loan.exists(l, l.tool == this.tool && l.id != this.id)`"],
    ],
  },
  {
    name: "a header counts records of others",
    kind: "learns of another's record",
    edits: [
      [
        "### GET /summary\n\n- Does: answer\n",
        "### GET /summary\n\n- Does: answer\n- Header: X-Loans: `string(Loan.filter(l, l.days > 0).size())`\n",
      ],
    ],
  },
  {
    name: "each delivered webhook creates a record whose event is a webhook",
    kind: "webhook loop",
    edits: [
      remarkEvent,
      ["| `noted = this.result` |", '| `create Remark with text = "sent"; noted = this.result` |'],
    ],
  },
  {
    name: "each failed webhook creates a record whose event is a webhook",
    kind: "webhook loop",
    edits: [
      remarkEvent,
      ["this.result != null && this.noted == null", "this.result >= 400 && this.noted == null"],
      ["| `noted = this.result` |", '| `create Remark with text = "failed"; noted = this.result` |'],
    ],
  },
  {
    name: "a webhook whose URL is an endpoint that causes its event",
    kind: "webhook loop",
    edits: [remarkEvent, ["- Does: create Remark\n", "- Does: create Remark\n- Allowed: anyone\n"]],
  },
  {
    name: "records that an endpoint creates and nothing reads",
    kind: "unseen records",
    edits: [["### GET /remarks/{id}\n\n- Does: read Remark\n- Returns: 200 Remark\n", ""]],
  },
  {
    name: "records that their Visible hides from everyone",
    kind: "unseen records",
    edits: [
      [
        "### Remark\n\n- Identifier: id, made by `random(12)`",
        '### Remark\n\n- Identifier: id, made by `random(12)`\n- Visible: `caller.role == "staff" && caller.name == this.id`',
      ],
    ],
  },
];
