/** Deliveries: what is sent of events, who gets it, and a receiver of one's own to try it with. */
import type { VNode } from "preact";
import { ListAndDetail } from "../../parts/list-and-detail.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { parameter } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { t } from "../../words/words.ts";
import type { Page, PageProperties } from "../page.ts";
import { BuiltInReceiver } from "./built-in-receiver.tsx";
import { DeliveryDetail } from "./delivery-detail.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { ReceivedDetail } from "./received-detail.tsx";
import { Receivers } from "./receivers.tsx";
import "./style.css";

type View = "deliveries" | "receivers" | "receiver";

function Deliveries({ parameters }: PageProperties): VNode {
  const said = parameter("view");
  const view: View = said === "receivers" || said === "receiver" ? said : "deliveries";
  const chosen = parameters["id"];
  const received = view === "receiver" ? parameter("received") : undefined;
  return (
    <ListAndDetail
      list={
        <>
          <PageHead title={t("deliveries.title")} />
          <Views view={view} />
          {view === "deliveries" && <DeliveryList chosen={chosen} />}
          {view === "receivers" && <Receivers />}
          {view === "receiver" && <BuiltInReceiver chosen={received} />}
        </>
      }
      detail={
        chosen !== undefined ? (
          <DeliveryDetail id={chosen} />
        ) : (
          received !== undefined && <ReceivedDetail number={Number(received)} />
        )
      }
    />
  );
}

function Views({ view }: { readonly view: View }): VNode {
  const views: readonly (readonly [View, string])[] = [
    ["deliveries", t("deliveries.tabDeliveries")],
    ["receivers", t("deliveries.tabReceivers")],
    ["receiver", t("deliveries.tabReceiver")],
  ];
  return (
    <nav class="views" aria-label={t("deliveries.tabs")}>
      {views.map(([name, label]) => (
        <a
          key={name}
          href={linkTo(["deliveries"], { view: name === "deliveries" ? undefined : name })}
          aria-current={name === view ? "page" : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  );
}

export const page: Page = {
  name: "deliveries",
  paths: ["/deliveries", "/deliveries/:id"],
  key: "v",
  component: Deliveries,
};
