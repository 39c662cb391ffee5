/**
 * Handler of `votes.md`: it receives references as identifiers, and may return records in their
 * place.
 */
import type { HandlerModule } from "../../src/engine/handler-module.ts";
import type { Json } from "../../src/support/json.ts";

export const handlers: HandlerModule["handlers"] = {
  async note({ input, transaction, refuse }) {
    const also = (input.body["also"] ?? []) as readonly Json[];
    const issue = (await transaction.get("Issue", input.body["issue"] as Json)) ?? refuse("taken", "issue");
    const [first] = await Promise.all(also.map((item) => transaction.get("Issue", item)));
    const notes = await transaction.list("Note", { where: { issue } });
    const made = await transaction.create("Note", {
      issue,
      also: [...also, issue],
      text: `${issue["title"]} of ${issue["repo"]}, ${notes.length} so far`,
    });
    const { repo, number } = made["issue"] as { readonly repo: string; readonly number: number };
    const [again] = await transaction.list("Note", { where: { issue: { repo, number } } });
    return transaction.update("Note", again ?? made, { text: `${made["text"]}, after ${first?.["title"]}` });
  },
};
