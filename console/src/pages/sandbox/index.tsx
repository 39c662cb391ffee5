/** The page of a sandbox: its clock, data spaces, snapshots and seed. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { space } from "../../api/space.ts";
import { Empty } from "../../parts/empty.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { withCode } from "../../parts/with-code.tsx";
import { requestService, service } from "../../shell/service.ts";
import { t } from "../../words/words.ts";
import type { Page } from "../page.ts";
import { Clock } from "./clock.tsx";
import { Seed } from "./seed.tsx";
import { Snapshots } from "./snapshots.tsx";
import { Spaces } from "./spaces.tsx";
import "./style.css";

function Sandbox(): VNode {
  const [round, setRound] = useState(0);
  const changed = () => {
    setRound((last) => last + 1);
    void requestService();
  };
  // Routes that only a sandbox has are requested only when the service is known to be one.
  if (!service.value) return <PageHead title={t("sandbox.title")} />;
  if (!service.value.sandbox)
    return (
      <>
        <PageHead title={t("sandbox.title")} />
        <Empty title={t("sandbox.none")}>
          <p>{withCode(t("sandbox.noneHint"))}</p>
        </Empty>
      </>
    );
  // Another data space, or the same one after a reset, is fetched again.
  const key = `${space.value ?? ""} ${round}`;
  return (
    <>
      <PageHead title={t("sandbox.title")} />
      <div class="sandbox">
        <Clock key={`clock ${key}`} />
        <Spaces />
        <Snapshots key={`snapshots ${space.value ?? ""}`} onChange={changed} />
        <Seed key={`seed ${space.value ?? ""}`} onChange={changed} />
      </div>
    </>
  );
}

export const page: Page = {
  name: "sandbox",
  paths: ["/sandbox"],
  key: "b",
  component: Sandbox,
  isThere: ({ sandbox }) => sandbox !== null,
};
