"""Pages: routes, HTML, and the middleware of all requests.

`routing` calls functions with the services that their parameters name; `templating` renders templates. Pages with forms
are a `FormPage`, which shows the errors of its routes. The page of a table takes five modules: `table` has its routes,
`table_page` its content, `table_layout` its columns, `table_renderer` renders its fragments, and `table_notices` adds
chat and rematches to its stream.
"""
