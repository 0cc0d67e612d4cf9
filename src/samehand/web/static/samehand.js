// Key bindings, live previews, and parts of pages that take a moment. Everything else works without this file.
"use strict";

const ROUTES = { o: "/", a: "/authors", p: "/papers", v: "/venues", r: "/review", h: "/history", d: "/duplicates" };
let waitingForPlace = false;

const isTyping = (target) => target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]") !== null;
const rows = () => Array.from(document.querySelectorAll("[data-rows] > *, .tree ul > li"));

function step(distance) {
  const all = rows();
  if (!all.length) return;
  const now = all.findIndex((row) => row.classList.contains("current"));
  const next = Math.min(Math.max(now + distance, 0), all.length - 1);
  all.forEach((row) => row.classList.remove("current"));
  all[next].classList.add("current");
  const link = all[next].querySelector("input[type=checkbox], a");
  if (link) link.focus({ preventScroll: true });
  all[next].scrollIntoView({ block: "nearest" });
}

function choose() {
  const box = document.querySelector(".current input[type=checkbox], .current button");
  if (box) box.click();
}

function pressed(key) {
  const button = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (button) button.click();
  return button !== null;
}

function goTo(key) {
  waitingForPlace = false;
  if (ROUTES[key]) window.location.assign(ROUTES[key]);
}

function showKeys() {
  const dialog = document.getElementById("keys");
  if (dialog && !dialog.open) dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && isTyping(event.target)) { event.target.blur(); return; }
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  if (waitingForPlace) { goTo(event.key); event.preventDefault(); return; }
  const own = pressed(event.key);
  if (own) { event.preventDefault(); return; }
  const actions = {
    "/": () => { const find = document.getElementById("find"); find?.focus(); find?.select(); },
    "?": showKeys,
    j: () => step(1),
    k: () => step(-1),
    x: choose,
    g: () => { waitingForPlace = true; setTimeout(() => { waitingForPlace = false; }, 1500); },
  };
  if (actions[event.key]) { actions[event.key](); event.preventDefault(); }
});

// A button answers once: a second press of its key must not answer the next question too.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent) { event.preventDefault(); return; }
  form.dataset.sent = "yes";
});
window.addEventListener("pageshow", (event) => {
  if (event.persisted) document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent);
});

// Parts that take the server a moment: <div data-load="address">.
async function load(place, tries) {
  try {
    const answer = await fetch(place.dataset.load, { headers: { "X-Part": "1" } });
    if (answer.status === 202 && tries > 0) { setTimeout(() => load(place, tries - 1), 400); return; }
    if (!answer.ok && answer.status !== 202) throw new Error(String(answer.status));
    place.innerHTML = await answer.text();
    place.removeAttribute("data-load");
  } catch {
    place.textContent = "This part cannot be shown now; load the page again.";
  }
}
document.querySelectorAll("[data-load]").forEach((place) => load(place, 300));

// Live preview: a form with data-preview="address of the part" fills the element named by data-into.
document.querySelectorAll("form[data-preview]").forEach((form) => {
  const place = document.getElementById(form.dataset.into);
  let last = 0;
  form.addEventListener("change", async () => {
    const mine = ++last;
    const body = new URLSearchParams(new FormData(form));
    const answer = await fetch(form.dataset.preview, { method: "POST", body, headers: { "X-Part": "1" } });
    if (answer.ok && mine === last) place.innerHTML = await answer.text();
  });
});

// How many rows are chosen.
document.querySelectorAll("form[data-chosen]").forEach((form) => {
  const told = document.getElementById(form.dataset.chosen);
  form.addEventListener("change", () => {
    const count = form.querySelectorAll("input[name=mention]:checked").length;
    told.textContent = count ? `${count} chosen` : "";
  });
});
