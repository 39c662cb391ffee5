/**
 * Builds the model of a document: every part declares its names, then every part is built against
 * all of them. Each step accepts an incomplete document and gives as much of the model as possible.
 */
import type { Reporter } from "../../diagnostics/diagnostic.ts";
import type { DocumentNode } from "../../syntax/nodes.ts";
import type { LedgerEntry, Model } from "../model.ts";
import { buildAuthentication, declareAuthentication } from "./authentication/authentication.ts";
import type { BuildContext } from "./any-part/context.ts";
import { SymbolTable } from "./declare.ts";
import { buildEndpoints, declareEndpoints } from "./endpoints/endpoints.ts";
import { buildErrors, declareErrors } from "./errors/errors.ts";
import { buildEvents, declareEvents } from "./events/events.ts";
import { withDeliveryResource } from "./events/delivery-resource.ts";
import { createLedger } from "./any-part/ledger.ts";
import { reportUnreadBlocks } from "./any-part/unread-blocks.ts";
import { createKnownKeys, reportUnreadLines } from "./any-part/unread-lines.ts";
import { buildLimits, declareLimits } from "./limits/limits.ts";
import { buildPurpose } from "./purpose/purpose.ts";
import { readMachines } from "./states/read-machines.ts";
import { buildResources, declareResources } from "./resources/resources.ts";
import { declareFunctions } from "./endpoints/functions.ts";
import { withOpenEvents } from "../events/open-events.ts";
import { declareShapes, shapeScope, shapeFunctionsOf } from "./shapes/shapes.ts";
import { declareTransitions } from "./states/states.ts";
import { buildVersioning, declareVersioning } from "./versioning/versioning.ts";

export function buildModel(
  written: DocumentNode,
  reporter: Reporter,
): { readonly model: Model; readonly ledger: readonly LedgerEntry[] } {
  const document = withDeliveryResource(written);
  const ledger = createLedger(document, reporter);
  const declarations = new SymbolTable(reporter, shapeScope);
  const keys = createKnownKeys();
  const context: BuildContext = { document, reporter, ledger, keys, declarations };

  // First pass: names and types. Each part depends on those before it. No expression is checked yet.
  const machines = readMachines(context);
  const resources = declareResources(context, machines);
  declarations.take({ resources: resources.declared });
  declarations.take({ functions: declareFunctions(context) });
  declarations.take(declareErrors(context)); // The codes, or that there are none.
  declarations.take(declareAuthentication(context)); // The schemes, and the types of `caller` and `credential`.
  declarations.take({ shapes: declareShapes(context) });
  declarations.take({ events: declareEvents(context) });
  declarations.take(declareLimits(context));
  declarations.take({ versions: declareVersioning(context) });
  declarations.take({ transitionUses: declareTransitions(context, machines) });
  declarations.take({ transitionUses: declareEndpoints(context) });

  // Second pass: binds every expression, resolves every name and reports every mistake.
  const described = buildResources(context, resources, machines);
  const endpoints = buildEndpoints(context);
  const model: Model = {
    file: document.source.file,
    text: document.source.text,
    name: document.name?.text ?? "",
    resources: described,
    ...endpoints,
    authentication: buildAuthentication(context),
    events: buildEvents(context),
    errors: buildErrors(context, endpoints),
    limits: buildLimits(context, endpoints),
    versioning: buildVersioning(context, endpoints.endpoints, described),
    shapeFunctions: shapeFunctionsOf(context),
    // Last, because scenarios may name anything. Then the ledger has all statements.
    ...buildPurpose(context),
    ledger: ledger.finish(),
  };
  reportUnreadLines(document, keys, reporter);
  reportUnreadBlocks(document, reporter);
  return { model: withOpenEvents(model), ledger: model.ledger };
}
