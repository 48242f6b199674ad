// Calls by the types that openapi-typescript makes, carried by openapi-fetch.

import createClient from "openapi-fetch";
import type { paths } from "./generated.js";

const [url, token] = process.argv.slice(2);
const chancery = createClient<paths>({
  baseUrl: url,
  headers: { Authorization: `Bearer ${token}` },
});

const around = await chancery.POST("/api/tools/look_around", { body: { kind: "inboxes" } });
const inbox: string | undefined = around.data?.inboxes?.[0]?.id;
if (inbox === undefined) throw new Error("there is no inbox");
const page = await chancery.POST("/api/tools/list_threads", {
  body: { inbox_id: inbox, status: "open", limit: 2 },
});
console.log(page.data?.threads.map((thread) => thread.id).join(" "));

const refused = await chancery.POST("/api/tools/get_thread", { body: { thread_id: "thr_nothere00" } });
console.log(refused.error?.code);

const verb = await chancery.POST("/api/tools/list", {
  body: { resource: "emails", parameters: { account_id: "hello@kettlewheel.example", limit: 1 } },
});
console.log(Array.isArray(verb.data) ? verb.data.length : "none");
