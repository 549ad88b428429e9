// Everything works without this file; it adds what need not be waited for or clicked.
"use strict";

document.documentElement.classList.add("js");

// A part of a page that changes by itself: asked for again until the work is over.
const OFTEN = 700;
for (const part of document.querySelectorAll("[data-live]")) {
  const ask = async () => {
    try {
      const answer = await fetch(part.dataset.live, { credentials: "same-origin" });
      if (!answer.ok) return;
      const text = await answer.text();
      const read = new DOMParser().parseFromString(text, "text/html").querySelector(".live");
      if (read === null) return;
      if (!["queued", "running"].includes(read.dataset.state)) {
        window.location.reload();
        return;
      }
      const shown = part.querySelector(".live");
      if (shown !== null && !shown.isEqualNode(read)) shown.replaceWith(read);
    } catch {
      // The app may be ended: what is shown stays.
      return;
    }
    window.setTimeout(ask, OFTEN);
  };
  window.setTimeout(ask, OFTEN);
}

// What the head says of work under way is true also when the page has stood for a while.
const SELDOM = 2000;
const watched = () => {
  const badge = document.querySelector("[data-busy]");
  if (badge === null) return;
  window.setTimeout(async () => {
    try {
      const answer = await fetch(badge.dataset.busy, { credentials: "same-origin" });
      if (!answer.ok) return;
      const read = new DOMParser().parseFromString(await answer.text(), "text/html");
      const now = read.querySelector("[data-busy]");
      if (now === null) badge.remove();
      else if (now.getAttribute("href") !== badge.getAttribute("href")) badge.replaceWith(now);
    } catch {
      // The app may be ended: what is shown stays.
      return;
    }
    watched();
  }, SELDOM);
};
watched();

// A choice that needs no button.
for (const choice of document.querySelectorAll("[data-submit]")) {
  choice.addEventListener("change", () => choice.form.requestSubmit());
}

// Of several ways, the fields of the one that is chosen.
const way = document.getElementById("recode");
if (way !== null) {
  const show = () => {
    for (const part of document.querySelectorAll("[data-way]"))
      part.hidden = part.dataset.way !== way.value;
  };
  way.addEventListener("change", show);
  show();
}

// Variables ticked by what they are.
for (const button of document.querySelectorAll("[data-tick]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    for (const box of button.form.querySelectorAll(`[data-role="${button.dataset.tick}"]`))
      if (!box.checked) box.click();
  });
}

// Of what is known of variables, what is known of those that are ticked.
for (const list of document.querySelectorAll("[data-there]")) {
  const form = list.closest("form");
  const show = () => {
    const boxes = form.querySelectorAll("[name=variable]:checked");
    const ticked = new Set([...boxes].map((box) => box.value));
    for (const one of list.querySelectorAll("[data-of]")) one.hidden = !ticked.has(one.dataset.of);
    list.hidden = ticked.size === 0;
  };
  form.addEventListener("change", show);
  window.addEventListener("pageshow", show);
}

// What is typed in a field goes with another form, too, that needs it.
for (const form of document.querySelectorAll("form")) {
  form.addEventListener("submit", () => {
    for (const field of form.querySelectorAll("[data-like]"))
      field.value = document.getElementById(field.dataset.like)?.value ?? field.value;
  });
}

// A text that can be taken along.
for (const bar of document.querySelectorAll("[data-copy]")) {
  const text = bar.parentElement.querySelector("pre");
  const said = bar.querySelector("[aria-live]");
  bar.hidden = false;
  bar.querySelector("button").addEventListener("click", async () => {
    said.textContent = "";
    try {
      await window.navigator.clipboard.writeText(text.textContent);
      said.textContent = said.dataset.said;
    } catch {
      // Browsers may refuse: what is marked can be copied by hand.
      window.getSelection().selectAllChildren(text);
      said.textContent = said.dataset.failed;
    }
  });
}

// A form that is on its way is not sent twice.
for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
}
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// Files may be dropped; how much has come in is shown.
for (const form of document.querySelectorAll("[data-drop]")) {
  const field = form.querySelector("input[type=file]");
  const bar = form.querySelector("progress");
  for (const kind of ["dragover", "dragleave", "drop"]) {
    form.addEventListener(kind, (event) => {
      event.preventDefault();
      form.classList.toggle("over", kind === "dragover");
    });
  }
  form.addEventListener("drop", (event) => {
    if (event.dataTransfer.files.length === 0) return;
    field.files = event.dataTransfer.files;
    form.requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const request = new XMLHttpRequest();
    bar.hidden = false;
    request.upload.addEventListener("progress", (at) => {
      if (at.lengthComputable) bar.value = at.loaded / at.total;
    });
    request.addEventListener("load", () => {
      if (request.status < 400) window.location.assign(request.responseURL);
      else {
        const read = new DOMParser().parseFromString(request.responseText, "text/html");
        document.getElementById("main").replaceWith(read.getElementById("main"));
      }
    });
    request.addEventListener("error", () => {
      bar.hidden = true;
      delete form.dataset.sent;
    });
    // A field of the form has the name "action", too.
    request.open("POST", form.getAttribute("action"));
    request.send(new FormData(form));
  });
}
