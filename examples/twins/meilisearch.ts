/** The handlers of `meilisearch.md`: filters and sorts, which are languages of their own, and which documents fit a question best. */
import type {
  Document,
  Given,
  Handlers,
  Hits,
  Index,
  Json,
  Question,
  Transaction,
} from "./meilisearch.types.ts";

type Fields = Document["fields"];
type Fits = (fields: Fields) => boolean;
type Refuse = Given<"search">["refuse"];

// ── Filters ─────────────────────────────────────────────────────────────────────────────────────

/**
 * What a filter means, as a text or as lists of them (the outer by AND, those inside by OR).
 *
 *   or = and ("OR" and)*     and = not ("AND" not)*     not = "NOT" not | "(" or ")" | condition
 */
function readFilter(filter: Json, filterable: readonly string[], refuse: () => never): Fits {
  if (filter === null) return () => true;
  if (typeof filter === "string") return new FilterText(filter, filterable, refuse).whole();
  if (!Array.isArray(filter)) return refuse();
  const parts = (filter as Json[]).map((part): Fits => {
    if (!Array.isArray(part)) return readFilter(part, filterable, refuse);
    const choices = (part as Json[]).map((choice) => readFilter(choice, filterable, refuse));
    return (fields) => choices.some((fits) => fits(fields));
  });
  return (fields) => parts.every((fits) => fits(fields));
}

class FilterText {
  readonly #tokens: string[];
  #at = 0;
  readonly #filterable: readonly string[];
  readonly #refuse: () => never;

  constructor(text: string, filterable: readonly string[], refuse: () => never) {
    this.#tokens =
      text.match(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[!<>]=|[=<>()[\],]|[^\s=<>!()[\],"']+|\S/g) ?? [];
    this.#filterable = filterable;
    this.#refuse = refuse;
  }

  whole(): Fits {
    if (this.#tokens.length === 0) return () => true;
    const fits = this.#or();
    return this.#at === this.#tokens.length ? fits : this.#refuse();
  }

  #or(): Fits {
    const parts = [this.#and()];
    while (this.#takes("OR")) parts.push(this.#and());
    return (fields) => parts.some((fits) => fits(fields));
  }

  #and(): Fits {
    const parts = [this.#not()];
    while (this.#takes("AND")) parts.push(this.#not());
    return (fields) => parts.every((fits) => fits(fields));
  }

  #not(): Fits {
    if (this.#takes("NOT")) {
      const fits = this.#not();
      return (fields) => !fits(fields);
    }
    if (!this.#takes("(")) return this.#condition();
    const fits = this.#or();
    return this.#takes(")") ? fits : this.#refuse();
  }

  #condition(): Fits {
    const name = this.#value();
    if (!this.#filterable.includes(name)) return this.#refuse();
    const negated = this.#takes("NOT");
    const fits = this.#conditionOf(name);
    return negated ? (fields) => !fits(fields) : fits;
  }

  #conditionOf(name: string): Fits {
    if (this.#takes("EXISTS")) return (fields) => name in fields;
    if (this.#takes("IN")) return this.#among(name);
    if (this.#takes("IS")) return this.#is(name);
    if (this.#takes("=")) return equals(name, this.#value());
    if (this.#takes("!=")) {
      const fits = equals(name, this.#value());
      return (fields) => !fits(fields);
    }
    for (const [sign, holds] of Object.entries(comparisons)) {
      if (!this.#takes(sign)) continue;
      const bound = this.#number();
      return (fields) => numbersOf(fields[name]).some((value) => holds(value, bound));
    }
    const from = this.#number();
    if (!this.#takes("TO")) return this.#refuse();
    const to = this.#number();
    return (fields) => numbersOf(fields[name]).some((value) => value >= from && value <= to);
  }

  #among(name: string): Fits {
    if (!this.#takes("[")) return this.#refuse();
    const choices: Fits[] = [];
    while (!this.#takes("]")) {
      choices.push(equals(name, this.#value()));
      if (!this.#takes(",") && this.#tokens[this.#at] !== "]") return this.#refuse();
    }
    return (fields) => choices.some((fits) => fits(fields));
  }

  #is(name: string): Fits {
    const negated = this.#takes("NOT");
    const empty = this.#takes("EMPTY");
    if (!empty && !this.#takes("NULL")) return this.#refuse();
    return (fields) => {
      const value = fields[name];
      const holds = empty ? ['""', "[]", "{}"].includes(JSON.stringify(value)) : value === null;
      return holds !== negated;
    };
  }

  #takes(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }

  #value(): string {
    const token = this.#tokens[this.#at] ?? this.#refuse();
    this.#at += 1;
    if (/^["']./.test(token)) return token.slice(1, -1).replaceAll(/\\(["'])/g, "$1");
    return /^[\p{L}\p{N}_.-]+$/u.test(token) ? token : this.#refuse();
  }

  #number(): number {
    const value = Number(this.#value());
    return Number.isFinite(value) ? value : this.#refuse();
  }
}

const comparisons: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  ">=": (value, bound) => value >= bound,
  "<=": (value, bound) => value <= bound,
  ">": (value, bound) => value > bound,
  "<": (value, bound) => value < bound,
};

function valuesOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as Json[]) : [value];
}

function numbersOf(value: Json | undefined): readonly number[] {
  return valuesOf(value).filter((item) => typeof item === "number");
}

/** As a text past case, or as a number. */
function equals(name: string, text: string): Fits {
  const sought = text.toLowerCase();
  return (fields) =>
    valuesOf(fields[name]).some(
      (item) => String(item).toLowerCase() === sought || (typeof item === "number" && item === Number(text)),
    );
}

// ── Words ───────────────────────────────────────────────────────────────────────────────────────

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function textsOf(value: Json | undefined): string[] {
  if (value === null || value === undefined || typeof value === "boolean") return [];
  if (typeof value !== "object") return [String(value)];
  return Object.values(value).flatMap((member) => textsOf(member as Json));
}

/** How many of the words are in it whole, none where one of them isn't in it at all. */
function closeness(
  fields: Fields,
  words: readonly string[],
  searched: readonly string[],
): number | undefined {
  const names = searched.includes("*") ? Object.keys(fields) : searched;
  const known = new Set(names.flatMap((name) => textsOf(fields[name])).flatMap(wordsOf));
  let whole = 0;
  for (const [at, word] of words.entries()) {
    if (known.has(word)) whole += 1;
    else if (at < words.length - 1 || ![...known].some((knownWord) => knownWord.startsWith(word)))
      return undefined;
  }
  return whole;
}

function highlighted(fields: Fields, question: Question, words: readonly string[]): Fields {
  const { attributesToHighlight: names, highlightPreTag: before, highlightPostTag: after } = question;
  const isMarked = (word: string) => words.some((matched) => word.toLowerCase().startsWith(matched));
  const marked = (value: Json): Json => {
    if (typeof value === "number") return String(value);
    if (Array.isArray(value)) return (value as Json[]).map(marked);
    if (typeof value !== "string") return value;
    return value.replaceAll(/[\p{L}\p{N}]+/gu, (word) =>
      isMarked(word) ? `${before ?? "<em>"}${word}${after ?? "</em>"}` : word,
    );
  };
  const entries = Object.entries(fields).map(([name, value]): [string, Json] => {
    const chosen = names?.includes("*") === true || names?.includes(name) === true;
    return [name, chosen ? marked(value) : value];
  });
  return Object.fromEntries(entries);
}

// ── Searching ───────────────────────────────────────────────────────────────────────────────────

type Found = { readonly fields: Fields; readonly whole: number };

/** Compares by each `name:asc` in turn; what has no such field comes last. */
function orderOf(sort: readonly string[], sortable: readonly string[], refuse: Refuse) {
  const keys = sort.map((criterion) => {
    const [, name = "", direction = ""] = /^(.+):(asc|desc)$/.exec(criterion) ?? [];
    return sortable.includes(name)
      ? { name, sign: direction === "desc" ? -1 : 1 }
      : refuse("invalid_search_sort");
  });
  return (left: Found, right: Found): number => {
    for (const { name, sign } of keys) {
      const [a, b] = [left.fields[name] ?? null, right.fields[name] ?? null];
      if (a === b) continue;
      if (a === null || b === null) return a === null ? 1 : -1;
      return a < b ? -sign : sign;
    }
    return 0;
  };
}

function facetsOf(found: readonly Found[], names: readonly string[]) {
  const distribution: Record<string, Record<string, number>> = {};
  const stats: Record<string, { min: number; max: number }> = {};
  for (const name of names) {
    const counts: Record<string, number> = {};
    const numbers: number[] = [];
    for (const { fields } of found) {
      for (const value of valuesOf(fields[name])) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
      numbers.push(...numbersOf(fields[name]));
    }
    distribution[name] = counts;
    if (numbers.length > 0) stats[name] = { min: Math.min(...numbers), max: Math.max(...numbers) };
  }
  return { facetDistribution: distribution, facetStats: stats };
}

function pageOf(
  question: Question,
  total: number,
): Partial<Hits> & { readonly from: number; readonly to: number } {
  if (typeof question.page !== "number" && typeof question.hitsPerPage !== "number") {
    const { offset, limit } = { offset: question.offset ?? 0, limit: question.limit ?? 20 };
    return { offset, limit, estimatedTotalHits: total, from: offset, to: offset + limit };
  }
  const { page, hitsPerPage } = { page: question.page ?? 1, hitsPerPage: question.hitsPerPage ?? 20 };
  const totalPages = hitsPerPage === 0 ? 0 : Math.ceil(total / hitsPerPage);
  const from = page === 0 ? total : (page - 1) * hitsPerPage;
  return { page, hitsPerPage, totalHits: total, totalPages, from, to: from + hitsPerPage };
}

function picked(fields: Fields, names: readonly string[] | null | undefined): Fields {
  if (!names || names.includes("*")) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

async function documentsOf(index: string, transaction: Transaction): Promise<readonly Document[]> {
  const documents: Document[] = [];
  const limit = 1000;
  for (;;) {
    const some = await transaction.list("Document", { where: { index }, limit, skip: documents.length });
    documents.push(...some);
    if (some.length < limit) return documents;
  }
}

async function hitsOf(
  uid: string,
  question: Question,
  transaction: Transaction,
  refuse: Refuse,
): Promise<Hits> {
  const index = (await transaction.get("Index", uid)) as Index;
  const fits = readFilter(question.filter ?? null, index.filterableAttributes ?? [], () =>
    refuse("invalid_search_filter"),
  );
  const words = wordsOf(question.q ?? "");
  const order = orderOf(question.sort ?? [], index.sortableAttributes ?? [], refuse);
  const searched = question.attributesToSearchOn ?? index.searchableAttributes ?? ["*"];
  const documents = await documentsOf(uid, transaction);
  const found = documents
    .flatMap(({ fields }): Found[] => {
      const whole = fits(fields) ? closeness(fields, words, searched) : undefined;
      return whole === undefined ? [] : [{ fields, whole }];
    })
    .toSorted((a, b) => b.whole - a.whole || order(a, b));
  const { from, to, ...page } = pageOf(question, found.length);
  const hits = found.slice(from, to).map(({ fields }): Json => {
    const shown = picked(fields, question.attributesToRetrieve);
    return question.attributesToHighlight
      ? { ...shown, _formatted: highlighted(shown, question, words) }
      : shown;
  });
  const names = question.facets?.includes("*") ? (index.filterableAttributes ?? []) : question.facets;
  return { hits, query: question.q ?? "", ...page, ...(names ? facetsOf(found, names) : {}) };
}

export const handlers: Handlers = {
  async fetch({ input: { body, path }, transaction, refuse }) {
    const index = (await transaction.get("Index", path.uid)) as Index;
    const fits = readFilter(body.filter ?? null, index.filterableAttributes ?? [], () =>
      refuse("invalid_search_filter"),
    );
    const documents = await documentsOf(path.uid, transaction);
    const found = documents.filter(({ fields }) => fits(fields));
    const results = found
      .slice(body.offset, body.offset + body.limit)
      .map(({ fields }) => picked(fields, body.fields));
    return { results, offset: body.offset, limit: body.limit, total: found.length };
  },

  search: ({ input, transaction, refuse }) =>
    hitsOf(input.path.uid, input.body.question, transaction, refuse),

  searchByQuery: ({ input, transaction, refuse }) => hitsOf(input.path.uid, input.query, transaction, refuse),

  async multiSearch({ input, transaction, refuse }) {
    const results: Hits[] = [];
    for (const question of input.body.queries) {
      const uid = question.indexUid ?? "";
      results.push({ indexUid: uid, ...(await hitsOf(uid, question, transaction, refuse)) });
    }
    return { results };
  },
};
