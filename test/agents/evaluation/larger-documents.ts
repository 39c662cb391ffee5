/**
 * Tasks about existing documents: a feature, a refused request, stored records, a twin for a client
 * library.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { edited, exchange, scenario, type Task } from "./task.ts";

type Edits = readonly (readonly [find: string, replace: string])[];

const examples = join(import.meta.dirname, "..", "..", "..", "examples");
const pageOf = (path: string): string => readFileSync(join(examples, path), "utf8");
const helpdesk = pageOf("helpdesk.md");
const desk = pageOf("parcel-desk.md");

const people = [
  '- Given: `Member with name = "Ada", role = "customer", key = "hd_ada" as ada`',
  '- Given: `Member with name = "Bob", role = "customer", key = "hd_bob" as bob`',
  '- Given: `Member with name = "Grace", role = "agent", key = "hd_grace" as grace`',
].join("\n");
const [ada, bob, grace] = ["X-Key: hd_ada", "X-Key: hd_bob", "X-Key: hd_grace"];
const opened = exchange("POST /tickets", { headers: ada, body: { subject: "Help", text: "Now" } }, 201, {
  number: 1,
  status: "open",
});

interface Change {
  readonly name: string;
  readonly text: string;
  readonly steps: readonly string[];
  readonly right: Edits;
  readonly wrong: Readonly<Record<string, Edits>>;
}

const changes: readonly Change[] = [
  {
    name: "priority",
    text: "Tickets get a `priority`: low, normal or high, and normal if the customer sends none. Customers send it with `POST /tickets`; every ticket that is answered has it.",
    steps: [
      exchange("POST /tickets", { headers: ada, body: { subject: "A", text: "a" } }, 201, {
        priority: "normal",
      }),
      exchange("POST /tickets", { headers: ada, body: { subject: "B", text: "b", priority: "high" } }, 201, {
        priority: "high",
      }),
      exchange("POST /tickets", { headers: ada, body: { subject: "C", text: "c", priority: "urgent" } }, 422),
    ],
    right: [
      [
        "| answer    | string    | length 1..4000 ",
        '| priority  | one of low, normal, high | default `"normal"` | |\n| answer    | string    | length 1..4000 ',
      ],
      ["- Body: subject, text\n", "- Body: subject, text, priority?\n"],
      ['"status": this.status,\n', '"status": this.status, "priority": this.priority,\n'],
    ],
    wrong: {
      "every ticket is low at first": [['default `"normal"`', 'default `"low"`']],
      "clients can't send it": [["- Body: subject, text, priority?\n", "- Body: subject, text\n"]],
    },
  },
  {
    name: "reopen",
    text: "Customers and agents can open a closed ticket again: `POST /tickets/{number}/reopen` makes a closed one open and answers it with 200. A ticket that isn't closed is answered 409.",
    steps: [
      opened,
      exchange("POST /tickets/1/reopen", { headers: ada }, 409),
      exchange("POST /tickets/1/close", { headers: ada }, 200, { status: "closed" }),
      exchange("POST /tickets/1/reopen", { headers: ada }, 200, { status: "open" }),
      exchange("POST /tickets/1/reopen", { headers: bob }, 404),
    ],
    right: [
      [
        "| expire     | waiting ",
        "| reopen     | closed        | open    | call          |                        |\n| expire     | waiting ",
      ],
      [
        "### Shape: TicketCard of Ticket",
        "### POST /tickets/{number}/reopen\n\n- Does: reopen Ticket\n- Returns: 200 TicketCard\n\n### Shape: TicketCard of Ticket",
      ],
    ],
    wrong: {
      "waiting tickets and open ones can be opened": [
        ["| reopen     | closed        |", "| reopen     | open, closed  |"],
      ],
      "agents alone may": [
        ["- Does: reopen Ticket\n", '- Does: reopen Ticket\n- Allowed: `caller.role == "agent"`\n'],
      ],
    },
  },
  {
    name: "filter",
    text: "`GET /tickets` takes a query parameter `author`, the id of a member: then only the tickets of that member are listed. Without it nothing changes.",
    steps: [
      opened,
      exchange("POST /tickets", { headers: bob, body: { subject: "B", text: "b" } }, 201, { number: 2 }),
      exchange("GET /tickets?author={{ada}}", { headers: grace }, 200, [{ number: 1 }]),
      exchange("GET /tickets", { headers: grace }, 200, [{ number: 2 }, { number: 1 }]),
    ],
    right: [["- Query: status?\n", "- Query: status?, author?\n"]],
    wrong: { "the parameter is required": [["- Query: status?, author?\n", "- Query: status?, author\n"]] },
  },
  {
    name: "delete",
    text: "Agents can delete a ticket: `DELETE /tickets/{number}` answers 204. A customer who tries is answered 403.",
    steps: [
      opened,
      exchange("DELETE /tickets/1", { headers: ada }, 403),
      exchange("DELETE /tickets/1", { headers: grace }, 204),
      exchange("GET /tickets/1", { headers: ada }, 404),
    ],
    right: [
      [
        "### POST /tickets/{number}/answer",
        '### DELETE /tickets/{number}\n\n- Does: delete Ticket\n- Allowed: `caller.role == "agent"`\n- Returns: 204 nothing\n\n### POST /tickets/{number}/answer',
      ],
    ],
    wrong: {
      "customers delete, too": [
        ['- Does: delete Ticket\n- Allowed: `caller.role == "agent"`\n', "- Does: delete Ticket\n"],
      ],
      "it answers 200": [["- Returns: 204 nothing\n", "- Returns: 200 TicketCard\n"]],
    },
  },
  {
    name: "members",
    text: "Agents can list the members: `GET /members` answers a plain JSON list, by name, of objects with `id`, `name` and `role` and nothing else. A customer is answered 403.",
    steps: [
      exchange("GET /members", { headers: ada }, 403),
      exchange("GET /members", { headers: grace }, 200, [
        { name: "Ada", role: "customer" },
        { name: "Bob", role: "customer" },
        { name: "Grace", role: "agent" },
      ]),
    ],
    right: [
      [
        "### Shape: TicketCard of Ticket",
        '### GET /members\n\n- Does: list Member\n- Allowed: `caller.role == "agent"`\n- Order: name ascending\n- Returns: 200 list of MemberCard\n\n### Shape: MemberCard of Member\n\n```cel\n{"id": this.id, "name": this.name, "role": this.role}\n```\n\n### Shape: TicketCard of Ticket',
      ],
    ],
    wrong: {
      "the order is reversed": [["- Order: name ascending\n", "- Order: name descending\n"]],
      "everyone may": [
        ['- Does: list Member\n- Allowed: `caller.role == "agent"`\n', "- Does: list Member\n"],
      ],
    },
  },
  {
    name: "reminder",
    text: "A ticket that is open for 2 days without an answer gets the new status `overdue` by itself. An agent can answer an overdue ticket like an open one, and it can be closed.",
    steps: [
      opened,
      "- Wait: 2 days",
      exchange("GET /tickets/1", { headers: ada }, 200, { status: "overdue" }),
      exchange("POST /tickets/1/answer", { headers: grace, body: { answer: "Sorry" } }, 200, {
        status: "waiting",
      }),
      "- Wait: 14 days",
      exchange("GET /tickets/1", { headers: ada }, 200, { status: "closed" }),
    ],
    right: [
      ["| reply      | open, waiting |", "| reply      | open, waiting, overdue |"],
      ["| close      | open, waiting |", "| close      | open, waiting, overdue |"],
      [
        "| expire     | waiting ",
        "| remind     | open | overdue | after 2 days | |\n| expire     | waiting ",
      ],
    ],
    wrong: {
      "it takes three days": [["| after 2 days |", "| after 3 days |"]],
      "an overdue ticket can't be answered": [
        ["| reply      | open, waiting, overdue |", "| reply      | open, waiting |"],
      ],
    },
  },
];

const finish =
  "`ninefold check service.md` must report no error, and no change may break a client that exists.";

const changeTasks: readonly Task[] = changes.map(({ name, text, steps, right, wrong }) => {
  const answer = edited(helpdesk, right);
  return {
    name: `change-${name}`,
    kind: "change",
    text: `\`service.md\` is a running service. ${text}\n\nChange \`service.md\`. ${finish}`,
    start: { "service.md": helpdesk },
    judge: { by: "scenarios", scenarios: scenario(people, ...steps), isCompatibleWith: helpdesk },
    right: { "service.md": answer },
    wrong: {
      "nothing is changed": { "service.md": helpdesk },
      ...Object.fromEntries(
        Object.entries(wrong).map(([why, edits]) => [why, { "service.md": edited(answer, edits) }]),
      ),
    },
  };
});

/** The number of the line with this start, after a heading. */
function lineOf(text: string, heading: string, start: string): number {
  const lines = text.split("\n");
  const from = lines.indexOf(heading);
  const at = lines.findIndex((line, index) => index > from && line.startsWith(start));
  if (from === -1 || at === -1) throw new Error(`There is no line "${start}" behind "${heading}".`);
  return at + 1;
}

interface Refused {
  readonly name: string;
  readonly request: string;
  readonly answer: string;
  readonly at: readonly [heading: string, start: string];
  /** A similar line, which is wrong. */
  readonly near: readonly [heading: string, start: string];
}

const refused: readonly Refused[] = [
  {
    name: "scope",
    request: "`POST /v1/parcels` with a complete body and a key whose scopes are `read` alone",
    answer: "403",
    at: ["### POST /parcels", "- Allowed:"],
    near: ["### GET /parcels", "- Allowed:"],
  },
  {
    name: "moving",
    request: "`PATCH /v1/parcels/{id}` of a parcel in transit, by its shop, with a scope `write`",
    answer: "409 `already_moving`",
    at: ["### PATCH /parcels/{id}", "- Fails:"],
    near: ["### PATCH /parcels/{id}", "- Allowed:"],
  },
  {
    name: "weight",
    request: "`POST /v1/parcels` with a complete body, whose `weight_grams` is 40000",
    answer: "422 `bad_value`",
    at: ["### Parcel", "| weight_grams"],
    near: ["### POST /parcels", "- Body:"],
  },
  {
    name: "invisible",
    request: "`GET /v1/parcels/{id}` of a parcel that exists, with the key of another shop",
    answer: "404 `no_such_thing`",
    at: ["### Parcel", "- Visible:"],
    near: ["### GET /parcels/{id}", "- Does:"],
  },
];

const lineTasks: readonly Task[] = refused.map(({ name, request, answer, at, near }) => ({
  name: `explain-${name}`,
  kind: "explain",
  text: `\`service.md\` is a running service. It answers ${request} with ${answer}. Which line of \`service.md\` decides that? Write \`answer.json\`: \`{"line": NUMBER}\`, counted from 1.`,
  start: { "service.md": desk },
  judge: { by: "line", line: lineOf(desk, ...at) },
  right: { "answer.json": JSON.stringify({ line: lineOf(desk, ...at) }) },
  wrong: {
    "another line": { "answer.json": JSON.stringify({ line: lineOf(desk, ...near) }) },
    "no answer": {},
    prose: { "answer.json": "It is the scope." },
  },
}));

interface Migration {
  readonly name: string;
  readonly text: string;
  readonly steps: readonly string[];
  readonly right: Edits;
  readonly wrong: Readonly<Record<string, Edits>>;
}

const compatibility = "- Compatibility: new fields and endpoints may come; nothing goes.\n";

const migrations: readonly Migration[] = [
  {
    name: "title",
    text: "The field `subject` of a ticket is called `title` from now on, in the document and for clients. No client calls the service yet, so no version is needed.",
    steps: [
      exchange("POST /tickets", { headers: ada, body: { title: "A", text: "a" } }, 201, { title: "A" }),
      exchange("POST /tickets", { headers: ada, body: { subject: "A", text: "a" } }, 422),
    ],
    right: [
      ["| subject   | string    |", "| title     | string    |"],
      ["- Body: subject, text\n", "- Body: title, text\n"],
      ['{"subject": "It doesn\'t start"', '{"title": "It doesn\'t start"'],
      ['subject = "Mine"', 'title = "Mine"'],
      ['"subject": this.subject', '"title": this.title'],
      [
        compatibility,
        `${compatibility}\n### Stored change: title\n\n- Renamed: Ticket.subject to Ticket.title\n`,
      ],
    ],
    wrong: {
      "what is stored would be lost": [["- Renamed: Ticket.subject to Ticket.title\n", ""]],
      "what is stored is deleted": [
        [
          "- Renamed: Ticket.subject to Ticket.title\n",
          '- Removed: Ticket.subject\n- Filled: Ticket.title with `"?"`\n',
        ],
      ],
      "clients still see subject": [['"title": this.title', '"subject": this.title']],
    },
  },
  {
    name: "status",
    text: "The status `waiting` of a ticket is called `answered` from now on.",
    steps: [
      opened,
      exchange("POST /tickets/1/answer", { headers: grace, body: { answer: "Yes" } }, 200, {
        status: "answered",
      }),
      "- Wait: 14 days",
      exchange("GET /tickets/1", { headers: ada }, 200, { status: "closed" }),
    ],
    right: [
      ['{"status": "waiting", "answer"', '{"status": "answered", "answer"'],
      ["| reply      | open, waiting | waiting |", "| reply      | open, answered | answered |"],
      ["| close      | open, waiting |", "| close      | open, answered |"],
      ["| expire     | waiting ", "| expire     | answered "],
      [
        compatibility,
        `${compatibility}\n### Stored change: answered\n\n- Renamed: Ticket.status "waiting" to "answered"\n`,
      ],
    ],
    wrong: {
      "records that wait have no state": [['- Renamed: Ticket.status "waiting" to "answered"\n', ""]],
      "nothing expires": [["| after 14 days |", "| after 90 days |"]],
    },
  },
  {
    name: "topic",
    text: "Every ticket has a `topic` from now on: billing, fault or other. Customers send it with `POST /tickets`; it is other if they send none, and for tickets that are stored already. Every ticket that is answered has it.",
    steps: [
      exchange("POST /tickets", { headers: ada, body: { subject: "A", text: "a" } }, 201, { topic: "other" }),
      exchange("POST /tickets", { headers: ada, body: { subject: "B", text: "b", topic: "fault" } }, 201, {
        topic: "fault",
      }),
    ],
    right: [
      [
        "| answer    | string    | length 1..4000 ",
        '| topic | one of billing, fault, other | required, default `"other"` | |\n| answer    | string    | length 1..4000 ',
      ],
      ["- Body: subject, text\n", "- Body: subject, text, topic?\n"],
      ['"status": this.status,\n', '"status": this.status, "topic": this.topic,\n'],
    ],
    wrong: {
      "stored tickets have none": [
        ['required, default `"other"`', "required"],
        ["- Body: subject, text, topic?\n", "- Body: subject, text, topic\n"],
      ],
      "the wrong default": [['default `"other"`', 'default `"fault"`']],
    },
  },
];

const migrationTasks: readonly Task[] = migrations.map(({ name, text, steps, right, wrong }) => {
  const answer = edited(helpdesk, right);
  return {
    name: `migrate-${name}`,
    kind: "migrate",
    text: `\`service.md\` is a running service with stored records. ${text} No stored record may lose what it has.\n\nChange \`service.md\`. \`ninefold migrate service.md --check --from OLD.md\` must accept it.`,
    start: { "service.md": helpdesk },
    judge: { by: "migration", scenarios: scenario(people, ...steps), from: helpdesk },
    right: { "service.md": answer },
    wrong: Object.fromEntries(
      Object.entries(wrong).map(([why, edits]) => [why, { "service.md": edited(answer, edits) }]),
    ),
  };
});

const libraryTasks: readonly Task[] = [
  {
    name: "imitate-openai",
    kind: "imitate",
    text: "Write `service.md`, a twin of OpenAI's API for tests: `POST /v1/chat/completions` with the model `echo-1` answers with the text of the last message as its content, `finish_reason` stop, and `usage` that counts words as tokens. `GET /v1/models` lists models. Callers are `Account`s with `name` and `key`, sent as a bearer token; a wrong key is answered 401 in OpenAI's form of errors. OpenAI's own library must work against it.",
    start: {},
    judge: { by: "library", library: "openai" },
    right: { "service.md": pageOf("twins/openai.md") },
    wrong: {
      "a wrong finish_reason": { "service.md": pageOf("twins/openai.md").replaceAll('"stop"', '"end"') },
      "a wrong path": {
        "service.md": pageOf("twins/openai.md").replaceAll("/chat/completions", "/chat/completion"),
      },
    },
  },
  {
    name: "imitate-replicate",
    kind: "imitate",
    text: "Write `service.md`, a twin of Replicate's API for tests, with models alone: `GET /v1/models/{owner}/{name}` answers a model as Replicate does (404 for none), `POST /v1/models` creates one. Callers are `Account`s with `username` and `token`, sent as a bearer token. A `Model` has `owner` (an Account), `name`, `description`, `visibility`. Replicate's own library must work against it.",
    start: {},
    judge: { by: "library", library: "replicate" },
    right: { "service.md": pageOf("twins/replicate.md") },
    wrong: {
      "a wrong path": {
        "service.md": pageOf("twins/replicate.md").replaceAll(
          "### GET /models/{owner}/{name}\n",
          "### GET /model/{owner}/{name}\n",
        ),
      },
    },
  },
];

export const largerDocuments: readonly Task[] = [
  ...changeTasks,
  ...lineTasks,
  ...migrationTasks,
  ...libraryTasks,
];
