/** Paginated list: awaited, it gives the first page; iterated, it gives the items of all pages. */
import { exchange } from "./call.js";
import { valueAt } from "./encode.js";

export function list(client, operation, sent, options) {
  return new List(client, operation, sent, options);
}

class List {
  #request;
  #paging;
  #sent;
  #first;

  constructor(client, operation, sent, options) {
    this.#request = (input) => exchange(client, operation, input, options);
    this.#paging = operation.paging;
    this.#sent = sent;
  }

  /** Sends no request before a result is needed, and requests the first page once. */
  #firstPage() {
    this.#first ??= this.#request(this.#sent);
    return this.#first;
  }

  then(fulfilled, rejected) {
    return this.#firstPage()
      .then(({ value }) => value)
      .then(fulfilled, rejected);
  }

  catch(rejected) {
    return this.then(undefined, rejected);
  }

  finally(done) {
    return this.then().finally(done);
  }

  async *pages() {
    let sent = this.#sent;
    for (let page = await this.#firstPage(); ; page = await this.#request(sent)) {
      yield page.value;
      const next = nextOf(this.#paging, page, sent);
      if (next === undefined) return;
      sent = next;
    }
  }

  async *[Symbol.asyncIterator]() {
    for await (const page of this.pages()) yield* valueAt(page, this.#paging.items);
  }
}

/** The parameters of the next page; undefined after the last. */
function nextOf(paging, { value, answer }, sent) {
  const items = valueAt(value, paging.items) ?? [];
  if (valueAt(value, paging.hasMore) === false) return undefined;
  const link = answer.headers.get("link");
  if (paging.nextAddress || (paging.links && link !== null)) {
    const address = paging.nextAddress ? valueAt(value, paging.nextAddress) : linked(link);
    return address ? { ...sent, query: undefined, pairs: queryIn(address) } : undefined;
  }
  if (paging.next) {
    const next = valueAt(value, paging.next);
    return next === null || next === undefined || next === ""
      ? undefined
      : nextParameters(paging, sent, next);
  }
  const requested = (name) => Number(sentParameter(paging, sent, name) ?? Number.NaN);
  const isLast = items.length < (requested(paging.size) || (paging.sizeDefault ?? 1));
  // The requested size may exceed the maximum; then only an empty page is the last.
  if (items.length === 0 || (isLast && Number.isNaN(requested(paging.size)))) return undefined;
  switch (paging.kind) {
    case "identifier":
      return nextParameters(paging, sent, items.at(-1)[paging.identifier]);
    case "page":
      return nextParameters(paging, sent, (requested(paging.place) || paging.from) + 1);
    case "offset":
      return nextParameters(paging, sent, (requested(paging.place) || paging.from || 0) + items.length);
    default:
      return undefined;
  }
}

function nextParameters({ place, within, inBody }, sent, value) {
  if (!inBody)
    return { ...sent, pairs: [...(sent.pairs ?? []).filter(([name]) => name !== place), [place, value]] };
  const body = sent.body ?? {};
  return {
    ...sent,
    body: within ? { ...body, [within]: { ...body[within], [place]: value } } : { ...body, [place]: value },
  };
}

function sentParameter({ within, inBody }, { body, query, pairs = [] }, name) {
  if (inBody) return (within ? body?.[within] : body)?.[name];
  const [, first, key] = /^([^[]*)\[(.*)\]$/.exec(name ?? "") ?? [];
  return (
    pairs.find(([pairName]) => pairName === name)?.[1] ??
    (first === undefined ? query?.[name] : query?.[first]?.[key])
  );
}

/** The address behind `rel="next"` (RFC 8288). */
function linked(header) {
  return header
    .split(/,(?=\s*<)/)
    .find((link) => /;\s*rel="?next"?/.test(link))
    ?.match(/<([^>]*)>/)?.[1];
}

/** The service may be known there under another address, so only the query is used. */
function queryIn(address) {
  return [...new URLSearchParams(address.split("?", 2)[1] ?? "")];
}
