// An address that ends in an identifier, such as /PO-TBP-010, leads to the entry; the host has to answer with 404.html.
const site = new URL("../", import.meta.url);
const asked = decodeURIComponent(location.pathname.slice(site.pathname.length)).replace(/(\/|\.html)$/, "").toUpperCase();
const got = await fetch(new URL("places.json", import.meta.url));
const places = got.ok ? await got.json() : {};
if (Object.hasOwn(places, asked)) location.replace(new URL(places[asked], site));
