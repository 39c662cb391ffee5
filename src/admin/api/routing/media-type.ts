/** Media type of a route's response. */
import type { Route } from "./route.ts";

export function mediaTypeOf({ streams }: Pick<Route, "streams">): string {
  return streams ? "text/event-stream" : "application/json";
}
