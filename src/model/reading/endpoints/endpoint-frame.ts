/** Shared state of building one endpoint: its syntax, its inputs, and the scope of each stage. */
import { type Type, types } from "../../../expressions/type.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import type { DeclaredResource } from "../declarations.ts";
import type { Pagination } from "../../model.ts";
import { typesOfSchemes } from "../authentication/authentication.ts";
import type { BuildContext } from "../any-part/context.ts";
import { errorFields } from "./responses/error-fields.ts";
import type { ErrorFields } from "./clauses.ts";
import { checkPagination } from "./endpoint-checks.ts";
import { schemesOf } from "./responses/http-items.ts";
import type { InputSyntax } from "./inputs/input-fields.ts";
import type { EndpointItem } from "./items.ts";
import { pageParameters, readPagination } from "./lists/pagination.ts";
import { completeInputs } from "./inputs/path-inputs.ts";
import type { ReadPath } from "./paths/paths.ts";
import type { EndpointReading, PartReading } from "./reading.ts";
import { type EndpointCallers, type EndpointScopes, endpointScopes } from "./scopes.ts";
import { isApplicable } from "./item-applicability.ts";

export interface EndpointFrame {
  readonly reading: EndpointReading;
  readonly part: PartReading;
  readonly resource: DeclaredResource | undefined;
  readonly inputs: readonly InputSyntax[];
  readonly pagination: Pagination | undefined;
  readonly scopes: EndpointScopes;
  readonly blamable: ErrorFields;
  /** Path headings above the endpoint that have no record. */
  readonly pathsWithoutRecord: readonly ReadPath[];
  /** The items with this key. One that can have no meaning here is reported and omitted. */
  items(key: EndpointItem): readonly ItemNode[];
}

export function endpointFrame(
  reading: EndpointReading,
  part: PartReading,
  expansion: string | undefined,
  ctx: BuildContext,
): EndpointFrame {
  const { deeds, plan, stated } = reading;
  const items = (key: EndpointItem): readonly ItemNode[] =>
    stated(key).filter((item) => isApplicable(reading, key, item, ctx));
  const [paginationItem] = items("pagination");
  const pagination = paginationItem && readPagination(paginationItem, ctx);
  const inputs = completeInputs(reading, part.base);
  if (pagination) checkPagination(pagination, inputs, ctx);
  const expanded: Readonly<Record<string, Type>> =
    expansion === undefined ? {} : { [expansion]: { kind: "list", of: types.string } };
  const paged = pageParameters(pagination);
  // A list endpoint whose method has a body may receive the page there.
  const inBody = reading.section.method === "GET" ? {} : paged;
  const further = { query: { ...paged, ...expanded }, body: { ...inBody, ...expanded } };
  const typed = inputs.map(({ input }) => input);
  return {
    reading,
    part,
    resource: deeds.resource,
    inputs,
    pagination,
    scopes: endpointScopes(
      ctx.declarations,
      typed,
      further,
      plan.records,
      deeds.does,
      deeds.resource,
      callersOf(reading, ctx),
    ),
    blamable: errorFields(typed, deeds.resource, ctx.declarations),
    pathsWithoutRecord: plan.headings.filter((heading) => !heading.is),
    items,
  };
}

function callersOf(reading: EndpointReading, ctx: BuildContext): EndpointCallers | undefined {
  const names = ctx.reporter.silently(() => schemesOf(reading, ctx)).value;
  return names && typesOfSchemes(ctx, names);
}
