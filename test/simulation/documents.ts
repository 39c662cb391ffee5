/** The simulated documents, with the initial records of each caller. */
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { compile } from "../../src/compile.ts";
import type { HandlerModule } from "../../src/engine/handler-module.ts";
import { importHandlers } from "../../src/engine/handlers/import-module.ts";
import type { Model } from "../../src/model/model.ts";
import { pathOf } from "../repository/repository.ts";
import { createTenants, type Tenants, type Written } from "../tenancy/worlds.ts";

export interface Played {
  /** Its path. */
  readonly file: string;
  readonly model: Model;
  readonly tenants: Tenants;
  readonly written: Written;
  readonly handlers?: HandlerModule;
}

/** Documents with many features: states, times, events, webhooks, tenants, versions. */
export const documents: readonly string[] = [
  "test/simulation/workshop.md",
  "examples/parcel-desk.md",
  "examples/helpdesk.md",
  "examples/seat-booking.md",
  "examples/conduit.md",
  "examples/delivery-quotes.md",
  "examples/twins/airtable.md",
  "examples/twins/github.md",
  "examples/twins/notion.md",
  "examples/twins/openai.md",
  "examples/twins/replicate.md",
  "examples/twins/slack.md",
  "examples/twins/stripe.md",
  "examples/twins/twilio.md",
  "test/simulation/workshop.md",
  "test/deliveries/shop.md",
  "test/deliveries/states.md",
  "test/documents/courier.md",
  "test/documents/payments.md",
  "test/documents/tenants.md",
  "test/documents/warehouse.md",
  "test/documents/subscriptions.md",
];

/** The meaning of fields beyond their types, as CEL. */
const written: Readonly<Record<string, Written>> = {
  "stripe.md": { "Charge.amount_captured": "2", "Charge.amount_refunded": "1" },
  "replicate.md": { "Model.visibility": '"private"', "{owner}": "Account.username", "{name}": "Model.name" },
  "github.md": {
    "{owner}": "User.login",
    "{repo}": "Repository.name",
    "{issue_number}": "Issue.number",
    "{name}": "Label.name",
  },
  "workshop.md": { "Shop.open_jobs": "0", "Job.note": '"of old"', "Job.budget": "3", "Job.spent": "0" },
  "parcel-desk.md": { "ApiKey.scopes": '["read", "write", "courier"]' },
  "twilio.md": { "Account.sid": '"AC" + hex(randomBytes(16))', "Key.sid": '"SK" + hex(randomBytes(16))' },
};

const known = new Map<string, Promise<Played>>();

/** The compiled document, with the records of two callers for every store; cached. */
export function playedOf(file: string): Promise<Played> {
  const played = known.get(file) ?? load(file);
  known.set(file, played);
  return played;
}

async function load(file: string): Promise<Played> {
  const { model, diagnostics } = compile(readFileSync(pathOf(file), "utf8"), { file: basename(file) });
  if (!model) throw new Error(`${file}: ${diagnostics.map((diagnostic) => diagnostic.message).join(" ")}`);
  const own = written[basename(file)] ?? {};
  const tenants = await createTenants(model, own);
  const alongside = pathOf(file.replace(/\.md$/, ".ts"));
  if (!existsSync(alongside)) return { file, model, tenants, written: own };
  return {
    file,
    model,
    tenants,
    written: own,
    handlers: await importHandlers(pathToFileURL(alongside).href, alongside),
  };
}
