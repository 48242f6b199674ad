"""Django's admin classes under the names that the type checker wants: they take no parameters."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.forms import ModelForm

if TYPE_CHECKING:
    AnyModelAdmin = admin.ModelAdmin[Any]
    AnyInline = admin.TabularInline[Any, Any]
    AnyModelForm = ModelForm[Any]
    AnyPaginator = Paginator[Any]
else:
    AnyModelAdmin = admin.ModelAdmin
    AnyInline = admin.TabularInline
    AnyModelForm = ModelForm
    AnyPaginator = Paginator
