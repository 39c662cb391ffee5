/**
 * `ninefold data erase`: erases a record with everything that belongs to it, and previews the
 * effect first.
 */
import type { ErasureResponse } from "../../admin/api/records/erasures.ts";
import { counted } from "../../support/quantity.ts";
import { WrongUsage } from "../command.ts";
import { Refused } from "../operations/client.ts";
import { deletedLines } from "./deleted-lines.ts";
import type { Verb } from "./verb.ts";

export const eraseVerb: Verb = {
  positionals: ["RESOURCE", "ID"],
  options: ["plan", "apply", "clear", "remove"],
  changes: true,
  async run(client, { positionals, values }, terminal) {
    const [resource = "", id = ""] = positionals;
    if (values["plan"] === values["apply"]) throw new WrongUsage("Add --plan (a dry run) or --apply.");
    if (values["clear"] && values["remove"]) throw new WrongUsage("--clear and --remove can't be combined.");
    const restricted = values["clear"] ? "clear" : values["remove"] ? "cascade" : "restrict";
    const path = `/api/erasures/${encodeURIComponent(resource)}/${encodeURIComponent(id)}`;
    const answer = (await client.send(
      values["plan"]
        ? { method: "GET", path, query: { restricted } }
        : { method: "POST", path, body: { restricted } },
    )) as ErasureResponse;
    if (answer.in_use_by !== undefined)
      throw new Refused(
        `${resource} ${id} can't be erased: ${answer.in_use_by} refers to it. --clear empties such references, --remove removes their records too.`,
      );
    if (values["json"]) return terminal.write(`${JSON.stringify(answer, null, 2)}\n`);
    const { gone, events, deliveries, answers, clean } = answer;
    terminal.write(`${values["plan"] ? "Would be erased:" : "Erased:"}\n${deletedLines(gone)}`);
    terminal.write(
      `The rest is replaced by {"erased":true}: ${counted(events, "event")} with id, type and time; ${deliveries} deliveries, the pending ones dropped; ${counted(answers, "kept answer")}.\n`,
    );
    if (values["plan"])
      terminal.write("The store's file is being rewritten; other requests wait until it is done.\n");
    if (clean === false)
      terminal.printError(
        "Another process is reading the store, so its log (-wal) still has the erased data. Stop the service once to clear the log.\n",
      );
    if (!values["plan"]) terminal.write("Backups and copies still have it.\n");
  },
};
