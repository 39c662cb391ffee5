/** Deliveries: what is sent for events, the recipients, and a built-in receiver. */
import type { VNode } from "preact";
import { ListAndDetail } from "../../parts/list-and-detail.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Views } from "../../parts/views.tsx";
import { parameter } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { t } from "../../words/words.ts";
import type { Page, PageProperties } from "../page.ts";
import { BuiltInReceiver } from "./built-in-receiver.tsx";
import { DeliveryDetail } from "./delivery-detail.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { ReceiverDetail } from "./receiver-detail.tsx";
import { ReceivedDetail } from "./received-detail.tsx";
import { Receivers } from "./receivers.tsx";
import "./style.css";

type View = "deliveries" | "receivers" | "receiver";

function Deliveries({ parameters }: PageProperties): VNode {
  const requestedView = parameter("view");
  const view: View =
    requestedView === "receivers" || requestedView === "receiver" ? requestedView : "deliveries";
  const selected = parameters["id"];
  const [resource, receiver] = [parameter("resource"), parameter("receiver")];
  const received = view === "receiver" ? parameter("received") : undefined;
  return (
    <ListAndDetail
      list={
        <>
          <PageHead title={t("deliveries.title")} />
          <DeliveryViews view={view} />
          {view === "deliveries" && <DeliveryList selected={selected} />}
          {view === "receivers" && <Receivers />}
          {view === "receiver" && <BuiltInReceiver selected={received} />}
        </>
      }
      detail={
        selected !== undefined ? (
          <DeliveryDetail id={selected} />
        ) : view === "receivers" && resource !== undefined && receiver !== undefined ? (
          <ReceiverDetail key={`${resource} ${receiver}`} resource={resource} receiver={receiver} />
        ) : (
          received !== undefined && <ReceivedDetail number={Number(received)} />
        )
      }
    />
  );
}

function DeliveryViews({ view }: { readonly view: View }): VNode {
  const views: readonly (readonly [View, string])[] = [
    ["deliveries", t("deliveries.tabDeliveries")],
    ["receivers", t("deliveries.tabReceivers")],
    ["receiver", t("deliveries.tabReceiver")],
  ];
  return (
    <Views
      label={t("deliveries.tabs")}
      of={views.map(([name, label]) => ({
        label,
        link: linkTo(["deliveries"], { view: name === "deliveries" ? undefined : name }),
        isCurrent: name === view,
      }))}
    />
  );
}

export const page: Page = {
  name: "deliveries",
  paths: ["/deliveries", "/deliveries/:id"],
  key: "v",
  component: Deliveries,
};
