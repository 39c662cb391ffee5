/** Query parameters: typed values that the engine binds to its prepared queries. */
import { copyFrame } from "./frame.ts";
import type { Node } from "./node.ts";
import type { Type } from "./type.ts";
import type { Frame, QueryParameters } from "./value.ts";

/** The node that reads a parameter of its query. */
export function parameterNode(name: keyof QueryParameters, type: Type): Node {
  return { op: "parameter", name, type };
}

/** A copy of the frame for a query with these parameters, and no others. */
export function bind(frame: Frame, parameters: QueryParameters): Frame {
  return copyFrame(frame, parameters);
}
