/** The document's scenarios: their runs with expected and actual responses, and their coverage. */
import type { VNode } from "preact";
import { path } from "../../routing/address.ts";
import type { Page, PageProperties } from "../page.ts";
import { Coverage } from "./coverage.tsx";
import { ScenarioList } from "./list.tsx";
import { TryScenario } from "./try.tsx";
import "./style.css";

function Scenarios({ parameters }: PageProperties): VNode {
  if (path.value === "/scenarios/coverage") return <Coverage />;
  if (path.value === "/scenarios/try") return <TryScenario />;
  return <ScenarioList selected={parameters["name"]} />;
}

export const page: Page = {
  name: "scenarios",
  paths: ["/scenarios", "/scenarios/coverage", "/scenarios/try", "/scenarios/of/:name"],
  key: "c",
  component: Scenarios,
};
