// Small help with the document. Texts are always set as text, never as markup.

export const byId = (id) => document.getElementById(id);

/** An element with properties, and with children, which are elements or texts. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element && name !== "list" && name !== "form") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...children);
}

/** "1 phase", "2 phases". */
export function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

export function whole(number) {
  return number === null || number === undefined ? "not known" : number.toLocaleString("en");
}

/** Fields for the options of a balancer; `changed` is called with a name and a text, which is empty for the default. */
export function optionFields(balancer, options, changed, prefix) {
  return balancer.options.map((option) => {
    const id = `${prefix}-${option.name}`;
    const value = options[option.name] ?? "";
    let field;
    if (option.choices.length && !option.allowed) {
      field = make("select", {id}, ...option.choices.map((choice) => make("option", {value: choice}, choice)));
      field.value = value || option.default;
    } else {
      field = make("input", {id, value, placeholder: option.default, autocomplete: "off", spellcheck: false});
    }
    field.addEventListener("change", () => changed(option.name, field.value === option.default ? "" : field.value.trim()));
    const words = option.choices.length && option.allowed ? `${option.choices.join(", ")}, ${option.allowed}` : option.allowed;
    const summary = option.summary.charAt(0).toUpperCase() + option.summary.slice(1);
    return make("label", {htmlFor: id}, `${summary}${words ? ` (${words})` : ""}`, field);
  });
}
