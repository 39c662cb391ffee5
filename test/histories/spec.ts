/** Sequential specification of `bank.md`: the state, and the result of each operation in it. */

export type Operation =
  | { readonly does: "read cell"; readonly id: string }
  | { readonly does: "read"; readonly what: "cells" | "doctors" | "accounts" | "tickets" }
  | { readonly does: "write"; readonly id: string; readonly value: number }
  | { readonly does: "append"; readonly id: string; readonly item: number }
  | { readonly does: "leave" | "come"; readonly id: string }
  | { readonly does: "take"; readonly id: string; readonly amount: number }
  | { readonly does: "pay"; readonly id: string; readonly to: string; readonly amount: number }
  | { readonly does: "make ticket"; readonly name: string }
  | { readonly does: "release"; readonly number: number };

/** A record as responses render it. */
export type Shown = Readonly<Record<string, unknown>>;

/** Each record has the operation that changed it last, as `op`. */
export interface State {
  readonly cells: readonly Shown[];
  readonly doctors: readonly Shown[];
  readonly accounts: readonly Shown[];
  readonly tickets: readonly Shown[];
}

export interface Outcome {
  readonly status: number;
  /** The record that was read or changed; absent for a rejection. */
  readonly body?: unknown;
  /** The state afterwards, if something has changed. */
  readonly state?: State;
  /** The records with events, in their order. */
  readonly changed?: readonly Shown[];
}

const start = "start";

export const beginning: State = {
  cells: ["c1", "c2"].map((id) => ({ id, value: 0, items: [], op: start })),
  doctors: ["d1", "d2"].map((id) => ({ id, duty: "on", op: start })),
  accounts: ["a1", "a2"].map((id) => ({ id, balance: 6, op: start })),
  tickets: [],
};

/** The request of an operation. */
export function requestOf(
  operation: Operation,
  op: string,
): { method: string; path: string; body?: unknown } {
  const post = (path: string, more: object = {}) => ({ method: "POST", path, body: { ...more, op } });
  switch (operation.does) {
    case "read":
      return { method: "GET", path: `/${operation.what}` };
    case "read cell":
      return { method: "GET", path: `/cells/${operation.id}` };
    case "write":
      return post(`/cells/${operation.id}/write`, { value: operation.value });
    case "append":
      return post(`/cells/${operation.id}/append`, { item: operation.item });
    case "leave":
    case "come":
      return post(`/doctors/${operation.id}/${operation.does}`);
    case "take":
      return post(`/accounts/${operation.id}/take`, { amount: operation.amount });
    case "pay":
      return post(`/accounts/${operation.id}/pay`, { to: operation.to, amount: operation.amount });
    case "make ticket":
      return post("/tickets", { name: operation.name });
    case "release":
      return post(`/tickets/${operation.number}/release`);
  }
}

/** @param op the name of the operation */
export function outcomeOf(operation: Operation, op: string, state: State): Outcome {
  switch (operation.does) {
    case "read":
      return { status: 200, body: state[operation.what] };
    case "read cell":
      return { status: 200, body: state.cells.find(({ id }) => id === operation.id) };
    case "write":
      return changed(state, "cells", operation.id, () => ({ value: operation.value, op }));
    case "append":
      return changed(state, "cells", operation.id, ({ items }) => ({
        items: [...(items as number[]), operation.item],
        op,
      }));
    case "leave":
    case "come":
      return moved(state, operation.does, operation.id, op);
    case "take": {
      const outcome = changed(state, "accounts", operation.id, taking(operation.amount, op));
      return heldTogether(outcome);
    }
    case "pay": {
      const taken = changed(state, "accounts", operation.id, taking(operation.amount, op));
      const given = changed(taken.state as State, "accounts", operation.to, taking(-operation.amount, op));
      return { ...given, body: taken.body, changed: [...(taken.changed ?? []), ...(given.changed ?? [])] };
    }
    case "make ticket": {
      if (state.tickets.some(({ name }) => name === operation.name)) return { status: 409 };
      const ticket = { number: state.tickets.length + 1, name: operation.name, op };
      return {
        status: 201,
        body: ticket,
        changed: [ticket],
        state: { ...state, tickets: [...state.tickets, ticket] },
      };
    }
    case "release":
      if (!state.tickets.some(({ number }) => number === operation.number)) return { status: 404 };
      return changed(state, "tickets", operation.number, () => ({ name: null, op }));
  }
}

function taking(amount: number, op: string) {
  return ({ balance }: Shown) => ({ balance: Number(balance) - amount, op });
}

/** A transition with a guard over another record. */
function moved(state: State, does: "leave" | "come", id: string, op: string): Outcome {
  const [from, to] = does === "leave" ? ["on", "off"] : ["off", "on"];
  const isThere = state.doctors.some((doctor) => doctor["id"] === id && doctor["duty"] === from);
  const othersOnDuty = state.doctors.some((doctor) => doctor["id"] !== id && doctor["duty"] === "on");
  if (!isThere || (does === "leave" && !othersOnDuty)) return { status: 409 };
  return changed(state, "doctors", id, () => ({ duty: to, op }));
}

/** `Always` over all records. */
function heldTogether(outcome: Outcome): Outcome {
  const sum = outcome.state?.accounts.reduce((all, { balance }) => all + Number(balance), 0) ?? 0;
  return sum >= 0 ? outcome : { status: 500 };
}

function changed(
  state: State,
  where: keyof State,
  key: string | number,
  change: (before: Shown) => Shown,
): Outcome {
  const before = state[where].find(({ id, number }) => (where === "tickets" ? number : id) === key) as Shown;
  const after = { ...before, ...change(before) };
  const records = state[where].map((record) => (record === before ? after : record));
  return { status: 200, body: after, changed: [after], state: { ...state, [where]: records } };
}
